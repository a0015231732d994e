import { readArtifacts } from '../artifacts/artifact.ts';
import { checkArtifact } from '../artifacts/check-artifact.ts';
import type { StorePorts } from '../scope.ts';
import type { QueryRunner } from '../database/database.ts';
import { newestReports, recentRuns } from '../database/queries/brief-events.ts';
import { listOpenBlockers, listSomeDependents } from '../database/queries/dependencies.ts';
import { readReady, readTaskCounts } from '../tasks/read-tasks.ts';
import { showTask, type Task, type TaskRow } from '../tasks/task.ts';
import type { Brief, BriefLists } from './brief.ts';
import { taskLine } from './brief-lines.ts';
import { arrangeSections, type BriefSource } from './brief-sections.ts';
import { excerptDescription } from './excerpt-description.ts';
import { fitSections, promptSizeOf, type FittedSection } from './fit-sections.ts';
import { escapeRecorded } from './frame.ts';
import { fitTokens } from './head-and-tail.ts';
import { newestFirst } from './newest-first.ts';
import { readClaimed } from './read-claimed.ts';
import { readClosings } from './read-closings.ts';
import { readNotes } from './read-notes.ts';
import { readSessionFacts } from './read-session-facts.ts';
import { renderPrompt, type PromptFrame } from './render-prompt.ts';

export interface BriefRequest {
  readonly agent: string;
  readonly projectId: string | undefined;
  readonly task: TaskRow | undefined;
  /** The session of the agent: claims of its other sessions are those of others. */
  readonly claimSession?: string | null | undefined;
  /** The size of the prompt. */
  readonly budgetTokens: number;
  /** Whether the caller uses the prompt and not the values. */
  readonly isPromptOnly?: boolean | undefined;
  /** The size of the prompt inside a JSON string. */
  readonly maxCharacters?: number | undefined;
  readonly at: string;
  /** The command line for `vybe` in the prompt. */
  readonly vybe?: string | undefined;
  /** Reads files to compare them with those that were recorded. */
  readonly describeFile?: StorePorts['describeFile'] | undefined;
}

/** A brief, and the same as lines of a prompt. */
export interface BuiltBrief {
  readonly brief: Brief;
  readonly outer: PromptFrame;
  readonly lines: readonly string[];
}

/** Below this budget the prompt contains only the next command. */
const SHORT_BUDGET_TOKENS = 700;
const SAMPLE_REQUEST_ID = 'vb_begin_1763329800000_9f3a07c2b18e4d56';

/** Builds the brief. Every query has a limit, so the cost does not grow with the store. */
export async function buildBrief(db: QueryRunner, request: BriefRequest): Promise<BuiltBrief> {
  const { task, at, agent, budgetTokens } = request;
  const project = request.projectId ?? task?.project_id ?? undefined;
  const nowMs = Date.parse(at);
  const counts = await readTaskCounts(db, project);
  const blockers = task === undefined ? [] : await db.all(listOpenBlockers, { task_id: task.id, limit: 10 });
  const shown = task && shorten(await showTask(db, task, at), budgetTokens);
  const queue = `${counts.pending} pending, ${counts.in_progress} in progress, ${counts.blocked} blocked, ${counts.completed} completed`;
  const taskLines =
    shown === undefined
      ? [`No task is ready (${queue}).`]
      : [
          `The task (${queue}):`,
          taskLine(shown, nowMs),
          ...(blockers.length === 0
            ? []
            : [
                escapeRecorded(
                  `  It is blocked by: ${blockers.map(({ id }) => JSON.stringify(id)).join(', ')}.`,
                ),
              ]),
        ];
  const outer: PromptFrame = {
    agent,
    project: project ?? null,
    task: shown ?? null,
    vybe: request.vybe,
    isShort: budgetTokens < SHORT_BUDGET_TOKENS,
  };
  const fixed = promptSizeOf(renderPrompt(outer, taskLines, () => SAMPLE_REQUEST_ID));
  const source = await readSource(db, request, project);
  const { sections, beforeTask } = arrangeSections(source, budgetTokens, nowMs);
  const room = {
    tokens: budgetTokens - fixed.tokens,
    characters: (request.maxCharacters ?? Number.POSITIVE_INFINITY) - fixed.characters,
  };
  const fitted = fitSections(sections, room, request.isPromptOnly);
  return {
    brief: {
      task: shown ?? null,
      project: project ?? null,
      blockers,
      ...listsOf(fitted.sections),
      counts,
      approx_tokens: fixed.tokens + fitted.used.tokens,
      omitted: fitted.omitted,
    },
    outer,
    lines: [
      ...fitted.sections.slice(0, beforeTask).flatMap(linesOf),
      ...taskLines,
      ...fitted.sections.slice(beforeTask).flatMap(linesOf),
    ],
  };
}

async function readSource(
  db: QueryRunner,
  request: BriefRequest,
  project: string | undefined,
): Promise<BriefSource> {
  const { agent, task, at } = request;
  const facts = await readSessionFacts(db, project, task?.id);
  const filter = task === undefined ? project !== undefined && 'project' : 'task';
  const subject = [task?.title, facts.requests[0]?.message.slice(0, 600), task?.description.slice(0, 600)];
  const viewpoint = { agent, projectId: project, taskId: task?.id };
  const artifacts = task === undefined ? [] : await readArtifacts(db, task.id, 10);
  const ready = await readReady(db, { projectId: project, limit: 6 }, at);
  return {
    facts,
    claimed: await readClaimed(db, request, project),
    notes: await readNotes(db, viewpoint, subject.join(' '), at),
    closings: await readClosings(db, project, task?.id),
    reports: newestFirst(
      await db.all(newestReports(filter), {
        task_id: task?.id ?? '',
        project_id: project ?? '',
        limit: 40,
      }),
    ),
    runs: await db.all(recentRuns(project !== undefined && 'project'), {
      project_id: project ?? '',
      among: 500,
      limit: 10,
    }),
    artifacts: await Promise.all(
      artifacts.map(async (artifact) => {
        const { id, file_path, content_type, size_bytes } = artifact;
        const state =
          request.describeFile && (await checkArtifact(db, artifact, project, request.describeFile));
        return { id, file_path, content_type, size_bytes, ...(state && { state }) };
      }),
    ),
    ready: ready.filter(({ id }) => id !== task?.id).slice(0, 5),
    dependents: task === undefined ? [] : await db.all(listSomeDependents, { task_id: task.id, limit: 5 }),
  };
}

/** Limits the title and the description to about a quarter of the budget. */
function shorten(task: Task, budgetTokens: number): Task {
  return {
    ...task,
    title: fitTokens(task.title, Math.max(20, budgetTokens * 0.08)),
    description: fitTokens(task.description, Math.max(20, budgetTokens * 0.18), excerptDescription),
  };
}

function linesOf({ title, chosen }: FittedSection): string[] {
  return chosen.length === 0 ? [] : [`${title}:`, ...chosen.map(({ line }) => line)];
}

const EMPTY: BriefLists = {
  claimed: [],
  requests: [],
  todos: [],
  constraints: [],
  messages: [],
  relevant_memory: [],
  recent_events: [],
  prior_reasoning: [],
  ruled_out: [],
  failures: [],
  files: [],
  runs: [],
  artifacts: [],
  pipeline: [],
  unlocks: [],
};

function listsOf(sections: readonly FittedSection[]): BriefLists {
  const lists: Record<string, unknown[]> = {};
  for (const { list, chosen } of sections)
    lists[list] = [...(lists[list] ?? []), ...chosen.map(({ item }) => item)];
  return { ...EMPTY, ...(lists as Partial<BriefLists>) };
}
