import { excerpt } from '../../base/text.ts';
import { readArtifacts } from '../artifacts/artifact.ts';
import type { Session } from '../database/database.ts';
import { listOpenBlockers, listSomeDependents } from '../database/queries/dependencies.ts';
import { recentEvents, recentRuns } from '../database/queries/events.ts';
import { readMemories } from '../memory/read-memories.ts';
import type { MemoryRow, MemoryScope } from '../memory/memory.ts';
import type { EventRow } from '../events/event.ts';
import { readReady, readTaskCounts } from '../tasks/read-tasks.ts';
import { showTask, type Task, type TaskRow } from '../tasks/task.ts';
import { estimateTokens, fillBudget, type Candidate } from './fill-budget.ts';

export interface Note {
  readonly key: string;
  readonly value: string;
  readonly kind: string;
  readonly scope: string;
  readonly scope_id?: string;
  readonly pinned: boolean;
  readonly source_agent: string;
  readonly updated_at: string;
}

export interface EventSummary {
  readonly id: string;
  readonly kind: string;
  readonly agent_name: string;
  readonly message: string;
  readonly created_at: string;
}

interface TaskSummary {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly priority: number;
}

/** What a new agent needs to continue, within a token budget. Arrays are never null; `omitted` counts the entries that did not fit. */
export interface Brief {
  readonly task: Task | null;
  readonly project: string | null;
  readonly blockers: { id: string; title: string; status: string }[];
  readonly relevant_memory: Note[];
  readonly recent_events: EventSummary[];
  /** Results of the last runs of work, newest first. */
  readonly runs: EventSummary[];
  readonly artifacts: { id: string; file_path: string; content_type: string; size_bytes: number | null }[];
  readonly prior_reasoning: EventSummary[];
  readonly pipeline: TaskSummary[];
  readonly unlocks: TaskSummary[];
  readonly counts: Record<'pending' | 'in_progress' | 'completed' | 'blocked', number>;
  readonly approx_tokens: number;
  readonly omitted: number;
}

export interface BriefRequest {
  readonly agent: string;
  readonly projectId: string | undefined;
  readonly task: TaskRow | undefined;
  readonly budgetTokens: number;
  readonly at: string;
}

/** Event kinds that record reasoning or decisions, not actions. */
const REASONING: ReadonlySet<string> = new Set(['reasoning', 'decision', 'task_closed']);
/** Event kinds that other sections of the brief cover. */
const NOISE: ReadonlySet<string> = new Set([
  'agent_focus',
  'memory_set',
  'artifact_added',
  'tool_success',
  'memory_gc',
  'run_ended',
]);

/** Builds the brief. Every query has a limit, so the cost does not grow with the store. */
export async function buildBrief(session: Session, request: BriefRequest): Promise<Brief> {
  const { task, at } = request;
  const project = request.projectId ?? task?.project_id ?? undefined;
  const events = await session.all(
    recentEvents(task !== undefined && 'task', task === undefined && project !== undefined && 'project'),
    { task_id: task?.id ?? '', project_id: project ?? '', limit: 60 },
  );
  const progress = events.filter(({ kind }) => !NOISE.has(kind) && !REASONING.has(kind)).slice(0, 15);
  const reasoning = events.filter(({ kind }) => REASONING.has(kind)).slice(0, 5);
  const runs = await session.all(recentRuns(project !== undefined && 'project'), {
    project_id: project ?? '',
    among: 500,
    limit: 10,
  });
  const notes = await readNotes(session, request, project);
  const first = notes.filter(({ kind, pinned }) => kind === 'directive' || pinned === 1);
  const others = notes.filter((note) => !first.includes(note));
  const files = task === undefined ? [] : await readArtifacts(session, task.id, 10);
  const ready = await readReady(session, { projectId: project, limit: 6 }, at);
  const waiting =
    task === undefined ? [] : await session.all(listSomeDependents, { task_id: task.id, limit: 5 });
  const counts = await readTaskCounts(session, project);
  const shown = task && truncateTask(await showTask(session, task, at), request.budgetTokens);

  const candidates: Candidate[] = [
    ...first.map((row) => candidate('relevant_memory', note(row))),
    ...progress.slice(0, 4).map((row) => candidate('recent_events', summarizeEvent(row))),
    ...runs.map((row) => candidate('runs', summarizeEvent(row))),
    ...reasoning.map((row) => candidate('prior_reasoning', summarizeEvent(row))),
    ...others.map((row) => candidate('relevant_memory', note(row))),
    ...files.map(({ id, file_path, content_type, size_bytes }) =>
      candidate('artifacts', { id, file_path, content_type, size_bytes }),
    ),
    ...progress.slice(4).map((row) => candidate('recent_events', summarizeEvent(row))),
    ...ready
      .filter(({ id }) => id !== task?.id)
      .slice(0, 5)
      .map((row) => candidate('pipeline', summarizeTask(row))),
    ...waiting.map((row) => candidate('unlocks', summarizeTask(row))),
  ];
  const fixed = estimateTokens({ task: shown ?? null, counts, project: project ?? null });
  const { chosen, tokens, omitted } = fillBudget(candidates, request.budgetTokens - fixed);
  return {
    task: shown ?? null,
    project: project ?? null,
    blockers: task === undefined ? [] : await session.all(listOpenBlockers, { task_id: task.id, limit: 10 }),
    relevant_memory: chosen('relevant_memory'),
    recent_events: chosen('recent_events'),
    runs: chosen('runs'),
    artifacts: chosen('artifacts'),
    prior_reasoning: chosen('prior_reasoning'),
    pipeline: chosen('pipeline'),
    unlocks: chosen('unlocks'),
    counts,
    approx_tokens: fixed + tokens,
    omitted,
  };
}

/** Reads global and agent memories, and those of the requested project and task. */
async function readNotes(
  session: Session,
  { agent, task, at }: BriefRequest,
  project: string | undefined,
): Promise<MemoryRow[]> {
  const scopes: [MemoryScope, string][] = [
    ...(task === undefined ? [] : [['task', task.id] as [MemoryScope, string]]),
    ...(project === undefined ? [] : [['project', project] as [MemoryScope, string]]),
    ['agent', agent],
    ['global', ''],
  ];
  const notes: MemoryRow[] = [];
  for (const [scope, scope_id] of scopes)
    notes.push(...(await readMemories(session, { scope, scope_id }, at, 20)));
  return notes;
}

function candidate(section: string, item: unknown): Candidate {
  return { section, item, tokens: estimateTokens(item) };
}

function note(row: MemoryRow): Note {
  return {
    key: row.key,
    value: excerpt(row.value, 600),
    kind: row.kind,
    scope: row.scope,
    ...(row.scope_id !== '' && { scope_id: row.scope_id }),
    pinned: row.pinned === 1,
    source_agent: row.source_agent,
    updated_at: row.updated_at,
  };
}

function summarizeEvent(row: EventRow): EventSummary {
  return {
    id: String(row.id),
    kind: row.kind,
    agent_name: row.agent_name,
    message: excerpt(row.message, 500),
    created_at: row.created_at,
  };
}

function summarizeTask({ id, title, status, priority }: TaskRow): TaskSummary {
  return { id, title: excerpt(title, 160), status, priority };
}

/** Limits the description to about half of the budget. */
function truncateTask(task: Task, budgetTokens: number): Task {
  return {
    ...task,
    title: excerpt(task.title, 400),
    description: excerpt(task.description, Math.max(200, budgetTokens * 2)),
  };
}
