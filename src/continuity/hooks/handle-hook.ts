import { canonicalJson, type JsonObject } from '../../base/json.ts';
import { newestFirst } from '../brief/newest-first.ts';
import { newestTodoList, type TodoList } from '../brief/open-todos.ts';
import type { Database } from '../database/database.ts';
import { newestTools } from '../database/queries/brief-events.ts';
import { findTask } from '../database/queries/tasks.ts';
import { appendEvent } from '../events/event.ts';
import { currentTask, peek, promptOf, resumeWork, type ResumeRequest } from '../focus/resume-work.ts';
import { writeOnce } from '../idempotency.ts';
import { HookInput } from './hook-input.ts';
import { createScope, type Scope, type StorePorts } from '../scope.ts';
import { purgeExpired } from '../store/purge-expired.ts';
import { isClaimedByOther } from '../tasks/holder.ts';
import { completeTask } from '../tasks/write-task.ts';
import { claimTime } from '../store-clock.ts';

export const HOOK_EVENTS = [
  'session-start',
  'prompt',
  'tool-success',
  'tool-failure',
  'checkpoint',
  'session-end',
  'task-completed',
  'stop',
  'subagent-start',
  'subagent-stop',
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Claude Code cuts longer output at 10,000 characters; this includes the JSON around the context. */
const MAX_OUTPUT_CHARACTERS = 9400;
/** The members in which hosts pass the last message of the agent. */
const LAST_MESSAGE = ['last_assistant_message', 'prompt_response'] as const;
const BUDGET_TOKENS = 1500;
/** A list that was written before these calls is recorded again. */
const MAX_SEARCHED_TOOLS = 50;
const MAX_PURGED = 200;

/** One event of a session of an agent host. */
export interface HookCall {
  readonly event: HookEvent;
  readonly input: Readonly<Record<string, unknown>>;
  readonly agent: string;
  /** The session that claims of this call belong to. */
  readonly claimSession?: string | undefined;
  /** The project of the session's folder; without it, the folder itself. */
  readonly project?: string | undefined;
  /** The command line for `vybe` in the prompt. */
  readonly vybe?: string;
  /** Data written before this time is not deleted at the end of a session. */
  readonly deletableSince?: string;
}

/** Handles an event and returns the output for the host. Text is redacted before it is stored. */
export async function handleHook(
  database: Database,
  { event, input, agent, claimSession, project, ...call }: HookCall,
  ports: StorePorts,
): Promise<string> {
  const key = {
    agent,
    claimSession,
    requestId: undefined,
    command: `hook ${event}`,
    params: {},
    onPayloadMismatch: 'replay',
  } as const;
  const { output } = await writeOnce(database, key, ports, async (scope) => ({
    output: await HANDLERS[event](scope, new HookInput(input, project), call),
  }));
  return output;
}

/** Returns the session-start output from a store that cannot be written; saves nothing. The notice comes before the brief. */
export async function readSessionStart(
  database: Database,
  {
    input,
    agent,
    project,
    vybe,
    notice = '',
  }: Omit<HookCall, 'event' | 'deletableSince'> & { readonly notice?: string },
  ports: StorePorts,
): Promise<string> {
  return database.snapshot(async (db) => {
    const scope = createScope(db, agent, ports);
    const request = startRequest(scope, new HookInput(input, project), vybe);
    const maxCharacters = MAX_OUTPUT_CHARACTERS - sessionStartOutput(notice).length;
    return sessionStartOutput(
      notice + promptOf(scope, await peek(db, { ...request, maxCharacters }, scope.at)),
    );
  });
}

const HANDLERS: Readonly<
  Record<
    HookEvent,
    (scope: Scope, input: HookInput, call: Pick<HookCall, 'vybe' | 'deletableSince'>) => Promise<string>
  >
> = {
  'session-start': async (scope, input, { vybe }) => {
    const { prompt } = await resumeWork(scope, startRequest(scope, input, vybe));
    return sessionStartOutput(prompt);
  },
  prompt: (scope, input) => {
    const prompt = input.prompt(4000);
    return prompt === '' ? Promise.resolve('') : recordEvent(scope, input, 'user_prompt', prompt);
  },
  // A pipe hides the exit status of the command before it, so its output decides.
  'tool-success': (scope, input) => {
    const todos = input.todoList();
    if (todos !== undefined) return recordTodos(scope, input, todos);
    const failure = input.hiddenFailure();
    return failure === undefined
      ? recordEvent(scope, input, 'tool_success', input.text('tool_name', 200), input.tool())
      : recordEvent(scope, input, 'tool_failure', failure, input.tool());
  },
  'tool-failure': (scope, input) => recordEvent(scope, input, 'tool_failure', input.failure(), input.tool()),
  // The host is about to shorten its context, so the brief for the next session is saved now.
  checkpoint: async (scope, input, call) => {
    const built = await peek(scope.db, startRequest(scope, input, call.vybe), scope.at);
    return purgeAndRecord(scope, input, 'checkpoint', call.deletableSince, { brief: promptOf(scope, built) });
  },
  'session-end': (scope, input, call) => purgeAndRecord(scope, input, 'session_end', call.deletableSince),
  'task-completed': async (scope, input) => {
    const task = await scope.db.first(findTask, { id: input.text('task_id', 200) });
    const summary = input.text('task_subject', 1000) || 'completed in the session';
    // What the host calls completed may be the work of another session by now.
    if (task === undefined || task.status === 'completed' || isClaimedByOther(task, scope, claimTime(scope)))
      return recordEvent(scope, input, 'host_task_completed', summary);
    await completeTask(scope, task.id, { outcome: 'done', summary });
    return '';
  },
  // The end of a turn: the last message of the agent names the next step, what it decided, and what it asks.
  stop: (scope, input) => {
    const message = LAST_MESSAGE.map((name) => input.headAndTail(name, 3000).trim()).find(Boolean) ?? '';
    return message === '' ? Promise.resolve('') : recordEvent(scope, input, 'agent_message', message);
  },
  // Installed by earlier versions of the Go program.
  'subagent-start': (scope, input) =>
    recordEvent(scope, input, 'tool_success', `Subagent started: ${subagentOf(input)}`),
  'subagent-stop': (scope, input) =>
    recordEvent(scope, input, 'tool_success', `Subagent finished: ${subagentOf(input)}`),
};

function subagentOf(input: HookInput): string {
  return input.text('agent_type', 200) || input.text('description', 500) || input.text('agent_id', 200);
}

function startRequest(
  { agent, ports: { describeFile } }: Scope,
  input: HookInput,
  vybe: string | undefined,
): ResumeRequest {
  return {
    agent,
    describeFile,
    projectId: input.project,
    limit: undefined,
    focus: undefined,
    budgetTokens: BUDGET_TOKENS,
    isPromptOnly: true,
    maxCharacters: MAX_OUTPUT_CHARACTERS - sessionStartOutput('').length,
    vybe,
  };
}

/** Formats the context for the model in the JSON that hosts read. */
function sessionStartOutput(additionalContext: string): string {
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } })}\n`;
}

/** Records an event for the task that the agent works on in this folder. */
async function recordEvent(
  scope: Scope,
  input: HookInput,
  kind: string,
  message: string,
  metadata: JsonObject = {},
): Promise<string> {
  const task = await currentTask(scope.db, scope.agent, input.project);
  await appendEvent(scope, {
    kind,
    message: message || '-',
    projectId: input.project ?? null,
    taskId: task?.id ?? null,
    metadata: { session_id: input.session, ...metadata },
  });
  return '';
}

/** Records the to-do list of a session, unless its open items are as they were. */
async function recordTodos(scope: Scope, input: HookInput, todos: TodoList): Promise<string> {
  const filter = input.project !== undefined && 'project';
  const tools = await scope.db.all(newestTools(filter), {
    project_id: input.project ?? '',
    limit: MAX_SEARCHED_TOOLS,
  });
  const last = newestTodoList(newestFirst(tools), input.session)?.list;
  if (last !== undefined && canonicalJson(last) === canonicalJson(todos)) return '';
  return recordEvent(scope, input, 'tool_success', input.text('tool_name', 200), { todo_list: todos });
}

async function purgeAndRecord(
  scope: Scope,
  input: HookInput,
  kind: string,
  since: string | undefined,
  metadata: JsonObject = {},
): Promise<string> {
  await purgeExpired(scope, { limit: MAX_PURGED, ...(since !== undefined && { since }) });
  const reason = input.text('reason', 200) || input.text('trigger', 200) || kind;
  return recordEvent(scope, input, kind, reason, metadata);
}
