import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { redact, redactText } from '../../base/secrets/redact.ts';
import { excerpt } from '../../base/text.ts';
import { renderPrompt } from '../brief/render-prompt.ts';
import type { Database } from '../database/database.ts';
import { findTask } from '../database/queries/tasks.ts';
import { appendEvent } from '../events/event.ts';
import { peek, resumeWork, type ResumeRequest } from '../focus/resume-work.ts';
import { writeOnce } from '../idempotency.ts';
import { createScope, type Scope, type StorePorts } from '../scope.ts';
import { purgeExpired } from '../store/purge-expired.ts';
import { completeTask } from '../tasks/write-task.ts';

export const HOOK_EVENTS = [
  'session-start',
  'prompt',
  'tool-success',
  'tool-failure',
  'checkpoint',
  'session-end',
  'task-completed',
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Limits the output, so that it takes only a small part of the context window of the host. */
const MAX_OUTPUT_CHARACTERS = 9000;
const MAX_DELTAS = 50;
const MAX_PURGED = 200;

/** One event of a session of an agent host. */
export interface HookCall {
  readonly event: HookEvent;
  readonly input: Readonly<Record<string, unknown>>;
  readonly agent: string;
  /** The command line for `vybe` in the prompt. */
  readonly vybe?: string;
  /** Data written before this time is not deleted at the end of a session. */
  readonly deletableSince?: string;
}

/** Handles an event and returns the output for the host. Text is redacted before it is stored. */
export async function handleHook(
  database: Database,
  { event, input, agent, ...call }: HookCall,
  ports: StorePorts,
): Promise<string> {
  const key = {
    agent,
    requestId: undefined,
    command: `hook ${event}`,
    params: {},
    onPayloadMismatch: 'replay',
  } as const;
  const { output } = await writeOnce(database, key, ports, async (scope) => ({
    output: await HANDLERS[event](scope, new HookInput(input), call),
  }));
  return output;
}

/** Returns the session-start output from a store that cannot be written; saves nothing. */
export async function readSessionStart(
  database: Database,
  { input, agent, vybe }: Omit<HookCall, 'event' | 'deletableSince'>,
  ports: StorePorts,
): Promise<string> {
  return database.snapshot(async (session) => {
    const scope = createScope(session, agent, ports);
    const request = startRequest(agent, new HookInput(input), vybe);
    return sessionStartOutput(renderPrompt(scope, await peek(session, request, scope.at), vybe));
  });
}

const HANDLERS: Readonly<
  Record<
    HookEvent,
    (scope: Scope, input: HookInput, call: Pick<HookCall, 'vybe' | 'deletableSince'>) => Promise<string>
  >
> = {
  'session-start': async (scope, input, { vybe }) => {
    const { prompt } = await resumeWork(scope, startRequest(scope.agent, input, vybe));
    return sessionStartOutput(prompt);
  },
  prompt: (scope, input) => recordEvent(scope, input, 'user_prompt', input.text('prompt', 4000)),
  'tool-success': (scope, input) =>
    recordEvent(scope, input, 'tool_success', input.text('tool_name', 200), input.tool()),
  'tool-failure': (scope, input) =>
    recordEvent(
      scope,
      input,
      'tool_failure',
      `${input.text('tool_name', 200)}: ${input.text('error', 1000)}`,
      input.tool(),
    ),
  checkpoint: (scope, input, call) => purgeAndRecord(scope, input, 'checkpoint', call.deletableSince),
  'session-end': (scope, input, call) => purgeAndRecord(scope, input, 'session_end', call.deletableSince),
  'task-completed': async (scope, input) => {
    const task = await scope.session.first(findTask, { id: input.text('task_id', 200) });
    const summary = input.text('task_subject', 1000) || 'completed in the session';
    if (task === undefined || task.status === 'completed')
      return recordEvent(scope, input, 'host_task_completed', summary);
    await completeTask(scope, task.id, { outcome: 'done', summary });
    return '';
  },
};

function startRequest(agent: string, input: HookInput, vybe: string | undefined): ResumeRequest {
  return { agent, projectId: input.cwd, limit: MAX_DELTAS, focus: undefined, budgetTokens: 1500, vybe };
}

/** Formats the context for the model in the JSON that hosts read. */
function sessionStartOutput(prompt: string): string {
  return `${JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'SessionStart',
      additionalContext: excerpt(prompt, MAX_OUTPUT_CHARACTERS),
    },
  })}\n`;
}

async function recordEvent(
  scope: Scope,
  input: HookInput,
  kind: string,
  message: string,
  metadata: JsonObject = {},
): Promise<string> {
  const session_id = input.text('session_id', 100);
  await appendEvent(scope, {
    kind,
    message: message || '-',
    projectId: input.cwd ?? null,
    metadata: { session_id, ...metadata },
  });
  return '';
}

async function purgeAndRecord(
  scope: Scope,
  input: HookInput,
  kind: string,
  since: string | undefined,
): Promise<string> {
  await purgeExpired(scope, { limit: MAX_PURGED, ...(since !== undefined && { since }) });
  return recordEvent(scope, input, kind, input.text('reason', 200) || input.text('trigger', 200) || kind);
}

/** The input from a host, read leniently, because its version may differ from the known ones. */
class HookInput {
  readonly #input: Readonly<Record<string, unknown>>;

  constructor(input: Readonly<Record<string, unknown>>) {
    this.#input = input;
  }

  /** The folder of the session, used literally as the project id. */
  get cwd(): string | undefined {
    return this.text('cwd', 500) || undefined;
  }

  text(name: string, length: number): string {
    const value = this.#input[name];
    if (value === undefined || value === null) return '';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return excerpt(redactText(text.toWellFormed().replaceAll('\u0000', '')), length);
  }

  tool(): JsonObject {
    const input = this.#input.tool_input;
    if (!isPlainObject(input)) return {};
    const shown = redact(input);
    const text = JSON.stringify(shown).toWellFormed();
    return text.length > 1000
      ? { tool_input: excerpt(text, 1000) }
      : { tool_input: JSON.parse(text) as JsonObject };
  }
}

/** Parses the standard input of a hook. */
export function parseHookInput(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw new Fault('E_VALIDATION', 'The hook input is not a JSON object.', {
    details: { field: 'stdin' },
  });
}
