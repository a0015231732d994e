import type { JsonObject } from '../../base/json.ts';
import type { Brief } from '../brief/brief.ts';
import { buildBrief, type BriefRequest, type BuiltBrief } from '../brief/build-brief.ts';
import { renderPrompt } from '../brief/render-prompt.ts';
import type { QueryRunner } from '../database/database.ts';
import { findAgentState, saveAgentState } from '../database/queries/agents.ts';
import { listAssignments } from '../database/queries/brief-events.ts';
import { findTask } from '../database/queries/tasks.ts';
import { appendEvent, type Event } from '../events/event.ts';
import { newRequestId, type Scope } from '../scope.ts';
import { requireTask, type TaskRow } from '../tasks/task.ts';
import { chooseFocus, type FocusChoice } from './choose-focus.ts';
import { readNewest, readNextEvents } from './read-unread.ts';

export interface ResumeRequest extends Pick<
  BriefRequest,
  'agent' | 'projectId' | 'budgetTokens' | 'isPromptOnly' | 'maxCharacters' | 'vybe' | 'describeFile'
> {
  /** With a limit, the unread events are returned in pages, oldest first; without, the newest that fit into the budget. */
  readonly limit: number | undefined;
  /** The task to work on; overrides the rules. */
  readonly focus: string | undefined;
  /** See `FocusRequest`. */
  readonly toClaim?: boolean | undefined;
}

export interface ResumeResult extends JsonObject {
  readonly agent_name: string;
  readonly old_cursor: string;
  readonly new_cursor: string;
  readonly deltas: Event[] & JsonObject[];
  /** How many events were unread, and which of them are not in `deltas`. */
  readonly unread: JsonObject & {
    total: number;
    omitted?: { count: number; first_event_id: string; last_event_id: string };
  };
  readonly focus_task_id: string | null;
  readonly focus_project_id?: string;
  readonly focus_rule: string;
  readonly brief: Brief & JsonObject;
  readonly prompt: string;
}

type FocusScope = Pick<Scope, 'db' | 'at' | 'claimSession'>;

/** The part of the budget for unread events that the brief does not contain. */
const DELTAS_RATIO = 0.5;
const MAX_ASSIGNMENTS = 1000;

/** Returns the events since the last resume of an agent and the task to work on, and saves its cursor and focus. */
export async function resumeWork(scope: Scope, request: ResumeRequest): Promise<ResumeResult> {
  const { db } = scope;
  const { cursor, task, rule } = await readFocus(scope, request);
  const { describeFile } = scope.ports;
  const built = await buildBrief(db, {
    describeFile,
    ...request,
    task,
    claimSession: scope.claimSession,
    at: scope.at,
  });
  const unread =
    request.limit === undefined
      ? await readNewest(db, cursor, request.projectId, {
          budgetTokens: request.budgetTokens * DELTAS_RATIO,
          known: eventIdsOf(built.brief),
        })
      : await readNextEvents(db, cursor, request.projectId, request.limit);
  await db.send(saveAgentState, {
    agent: request.agent,
    project_id: request.projectId ?? '',
    cursor: unread.cursor,
    focus_task_id: task?.id ?? null,
    at: scope.at,
  });
  return {
    agent_name: request.agent,
    old_cursor: String(cursor),
    new_cursor: String(unread.cursor),
    deltas: unread.deltas as ResumeResult['deltas'],
    unread: { total: unread.total, ...(unread.omitted && { omitted: unread.omitted }) },
    focus_task_id: task?.id ?? null,
    ...(task?.project_id && { focus_project_id: task.project_id }),
    focus_rule: rule,
    brief: built.brief as ResumeResult['brief'],
    prompt: promptOf(scope, built),
  };
}

/** Returns the brief that `resumeWork` would return, without saving anything. */
export async function peek(db: QueryRunner, request: ResumeRequest, at: string): Promise<BuiltBrief> {
  const { task } = await readFocus({ db, at, claimSession: null }, request);
  return buildBrief(db, { ...request, task, at });
}

/** Renders a brief for a model, with new request ids in its commands. */
export function promptOf(scope: Scope, { outer, lines }: BuiltBrief): string {
  return renderPrompt(outer, lines, (operation) => newRequestId(scope, operation));
}

/** Reads the position of an agent in the log and chooses its task. */
async function readFocus(
  scope: FocusScope,
  request: ResumeRequest,
): Promise<FocusChoice & { readonly cursor: number }> {
  const { db } = scope;
  const project_id = request.projectId ?? '';
  const state = await db.first(findAgentState, { agent: request.agent, project_id });
  const cursor = state?.cursor ?? 0;
  const current = state?.focus_task_id ?? (await commonFocus(db, request));
  return { ...(await focusOf(scope, request, current, cursor)), cursor };
}

/** The events that a brief contains. */
function eventIdsOf({
  requests,
  messages,
  recent_events,
  prior_reasoning,
  ruled_out,
  runs,
  failures,
}: Brief): Set<string> {
  const events = [...requests, ...messages, ...recent_events, ...prior_reasoning, ...ruled_out, ...runs];
  return new Set([...events.map(({ id }) => id), ...failures.map(({ event_id }) => event_id)]);
}

/** The open task that an agent has in focus in a project; undefined if it has none. */
export async function currentTask(
  db: QueryRunner,
  agent: string,
  projectId: string | undefined,
): Promise<TaskRow | undefined> {
  const state = await db.first(findAgentState, { agent, project_id: projectId ?? '' });
  const id = state?.focus_task_id ?? (await commonFocus(db, { agent }));
  const task = id === null ? undefined : await db.first(findTask, { id });
  if (task === undefined || task.status === 'completed') return undefined;
  return task.project_id === null || projectId === undefined || task.project_id === projectId
    ? task
    : undefined;
}

/** Sets the focus of the agent, for its project and for resumes without a project. */
export async function setFocus(scope: Scope, taskId: string, projectId: string | null): Promise<string> {
  for (const project_id of new Set(['', projectId ?? ''])) {
    const state = await scope.db.first(findAgentState, { agent: scope.agent, project_id });
    await scope.db.send(saveAgentState, {
      agent: scope.agent,
      project_id,
      cursor: state?.cursor ?? 0,
      focus_task_id: taskId,
      at: scope.at,
    });
  }
  return appendEvent(scope, { kind: 'agent_focus', message: taskId, projectId, taskId });
}

/** The focus that was set without a project applies in every project. */
async function commonFocus(db: QueryRunner, { agent }: Pick<ResumeRequest, 'agent'>): Promise<string | null> {
  const state = await db.first(findAgentState, { agent, project_id: '' });
  return state?.focus_task_id ?? null;
}

/** All unread assignments count, regardless of the number of events after them. */
async function focusOf(
  { db, at, claimSession }: FocusScope,
  request: ResumeRequest,
  current: string | null,
  since: number,
): Promise<FocusChoice> {
  if (request.focus !== undefined) return { task: await requireTask(db, request.focus), rule: 'asked' };
  const deltas = await db.all(listAssignments, { since, limit: MAX_ASSIGNMENTS });
  return chooseFocus(db, { ...request, claimSession, current, deltas, at });
}
