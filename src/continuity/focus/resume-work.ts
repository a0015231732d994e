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

export interface ResumeQuestion {
  readonly agent: string;
  readonly projectId: string | undefined;
  readonly limit: number;
  /** A task to work on, whatever the rules would choose. */
  readonly focus: string | undefined;
  readonly budgetTokens: number;
  /** What the prompt tells the agent to type to reach `vybe`. */
  readonly vybe?: string | undefined;
}

export interface Resumed extends JsonObject {
  readonly agent_name: string;
  readonly old_cursor: number;
  readonly new_cursor: number;
  readonly deltas: Event[] & JsonObject[];
  readonly focus_task_id: string | null;
  readonly focus_project_id?: string;
  readonly focus_rule: string;
  readonly brief: Brief & JsonObject;
  readonly prompt: string;
}

/** Tells an agent what happened since it last asked and what to work on, and remembers both. */
export async function resumeWork(scope: Scope, question: ResumeQuestion): Promise<Resumed> {
  const { session } = scope;
  const project_id = question.projectId ?? '';
  const state = await session.first(findAgentState, { agent: question.agent, project_id });
  const oldCursor = state?.cursor ?? 0;
  const deltas = await readDeltas(session, oldCursor, question.projectId, question.limit);
  const newCursor = deltas.at(-1)?.id ?? oldCursor;
  const current = state?.focus_task_id ?? (await commonFocus(session, question));
  const { task, rule } = await focusOf(session, question, current, deltas, scope.at);
  await session.run(saveAgentState, {
    agent: question.agent,
    project_id,
    cursor: newCursor,
    focus_task_id: task?.id ?? null,
    at: scope.at,
  });
  const brief = await buildBrief(session, { ...question, task, at: scope.at });
  return {
    agent_name: question.agent,
    old_cursor: oldCursor,
    new_cursor: newCursor,
    deltas: deltas.map(showEvent) as Resumed['deltas'],
    focus_task_id: task?.id ?? null,
    ...(task?.project_id && { focus_project_id: task.project_id }),
    focus_rule: rule,
    brief: brief as Resumed['brief'],
    prompt: renderPrompt(scope, brief, question.vybe),
  };
}

/** The brief that `resumeWork` would give, without remembering anything. */
export async function peek(session: Session, question: ResumeQuestion, at: string): Promise<Brief> {
  const project_id = question.projectId ?? '';
  const state = await session.first(findAgentState, { agent: question.agent, project_id });
  const deltas = await readDeltas(session, state?.cursor ?? 0, question.projectId, question.limit);
  const current = state?.focus_task_id ?? (await commonFocus(session, question));
  const { task } = await focusOf(session, question, current, deltas, at);
  return buildBrief(session, { ...question, task, at });
}

/** Makes a task the agent's focus, where its project's resume will look for it and where one without a project will. */
export async function setFocus(scope: Scope, taskId: string, projectId: string | null): Promise<number> {
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

/** What the agent began outside of any project counts in every project. */
async function commonFocus(session: Session, { agent }: ResumeQuestion): Promise<string | null> {
  const state = await session.first(findAgentState, { agent, project_id: '' });
  return state?.focus_task_id ?? null;
}

async function focusOf(
  session: Session,
  question: ResumeQuestion,
  current: string | null,
  deltas: readonly EventRow[],
  at: string,
): Promise<FocusChoice> {
  if (question.focus !== undefined)
    return { task: await requireTask(session, question.focus), rule: 'asked' };
  return chooseFocus(session, { ...question, current, deltas, at });
}

/** A project's deltas are its own events and those of no project; each agent has its own place in each project. */
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
