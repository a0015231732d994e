import type { JsonObject } from '../../base/json.ts';
import { buildBrief, type Brief } from '../brief/build-brief.ts';
import { renderPrompt } from '../brief/render-prompt.ts';
import type { Session } from '../database/database.ts';
import { findAgentState, saveAgentState } from '../database/queries/agents.ts';
import { listDeltas } from '../database/queries/events.ts';
import { appendEvent, showEvent, type Event, type EventRow } from '../events/event.ts';
import type { Scope } from '../scope.ts';
import { requireTask } from '../tasks/task.ts';
import { chooseFocus, type FocusChoice } from './choose-focus.ts';

export interface ResumeRequest {
  readonly agent: string;
  readonly projectId: string | undefined;
  readonly limit: number;
  /** The task to work on; overrides the rules. */
  readonly focus: string | undefined;
  readonly budgetTokens: number;
  /** The command line for `vybe` in the prompt. */
  readonly vybe?: string | undefined;
}

export interface ResumeResult extends JsonObject {
  readonly agent_name: string;
  readonly old_cursor: string;
  readonly new_cursor: string;
  readonly deltas: Event[] & JsonObject[];
  readonly focus_task_id: string | null;
  readonly focus_project_id?: string;
  readonly focus_rule: string;
  readonly brief: Brief & JsonObject;
  readonly prompt: string;
}

/** Returns the events since the last resume of an agent and the task to work on, and saves its cursor and focus. */
export async function resumeWork(scope: Scope, request: ResumeRequest): Promise<ResumeResult> {
  const { session } = scope;
  const project_id = request.projectId ?? '';
  const state = await session.first(findAgentState, { agent: request.agent, project_id });
  const oldCursor = state?.cursor ?? 0;
  const deltas = await readDeltas(session, oldCursor, request.projectId, request.limit);
  const newCursor = deltas.at(-1)?.id ?? oldCursor;
  const current = state?.focus_task_id ?? (await commonFocus(session, request));
  const { task, rule } = await focusOf(session, request, current, deltas, scope.at);
  await session.run(saveAgentState, {
    agent: request.agent,
    project_id,
    cursor: newCursor,
    focus_task_id: task?.id ?? null,
    at: scope.at,
  });
  const brief = await buildBrief(session, { ...request, task, at: scope.at });
  return {
    agent_name: request.agent,
    old_cursor: String(oldCursor),
    new_cursor: String(newCursor),
    deltas: deltas.map(showEvent) as ResumeResult['deltas'],
    focus_task_id: task?.id ?? null,
    ...(task?.project_id && { focus_project_id: task.project_id }),
    focus_rule: rule,
    brief: brief as ResumeResult['brief'],
    prompt: renderPrompt(scope, brief, request.vybe),
  };
}

/** Returns the brief that `resumeWork` would return, without saving anything. */
export async function peek(session: Session, request: ResumeRequest, at: string): Promise<Brief> {
  const project_id = request.projectId ?? '';
  const state = await session.first(findAgentState, { agent: request.agent, project_id });
  const deltas = await readDeltas(session, state?.cursor ?? 0, request.projectId, request.limit);
  const current = state?.focus_task_id ?? (await commonFocus(session, request));
  const { task } = await focusOf(session, request, current, deltas, at);
  return buildBrief(session, { ...request, task, at });
}

/** Sets the focus of the agent, for its project and for resumes without a project. */
export async function setFocus(scope: Scope, taskId: string, projectId: string | null): Promise<string> {
  for (const project_id of new Set(['', projectId ?? ''])) {
    const state = await scope.session.first(findAgentState, { agent: scope.agent, project_id });
    await scope.session.run(saveAgentState, {
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
async function commonFocus(session: Session, { agent }: ResumeRequest): Promise<string | null> {
  const state = await session.first(findAgentState, { agent, project_id: '' });
  return state?.focus_task_id ?? null;
}

async function focusOf(
  session: Session,
  request: ResumeRequest,
  current: string | null,
  deltas: readonly EventRow[],
  at: string,
): Promise<FocusChoice> {
  if (request.focus !== undefined) return { task: await requireTask(session, request.focus), rule: 'asked' };
  return chooseFocus(session, { ...request, current, deltas, at });
}

/** The deltas of a project are its events and those without a project. */
async function readDeltas(
  session: Session,
  since: number,
  projectId: string | undefined,
  limit: number,
): Promise<EventRow[]> {
  if (projectId === undefined) return session.all(listDeltas(), { since, project_id: '', limit });
  const own = await session.all(listDeltas('project'), { since, project_id: projectId, limit });
  const common = await session.all(listDeltas('unassigned'), { since, project_id: '', limit });
  return [...own, ...common].sort((left, right) => left.id - right.id).slice(0, limit);
}
