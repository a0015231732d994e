import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { redact, redactText } from '../../base/secrets/redact.ts';
import { excerpt } from '../../base/text.ts';
import { renderPrompt } from '../brief/render-prompt.ts';
import type { Database } from '../database/database.ts';
import { findTask } from '../database/queries/tasks.ts';
import { appendEvent } from '../events/event.ts';
import { peek, resumeWork, type ResumeQuestion } from '../focus/resume-work.ts';
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

/** What a host is told at most; more would push its own work out of the context. */
const MAX_OUTPUT_CHARACTERS = 9000;
const MAX_DELTAS = 50;
const MAX_COLLECTED = 200;

/** One event of a host's session. */
export interface HookCall {
  readonly event: HookEvent;
  readonly input: Readonly<Record<string, unknown>>;
  readonly agent: string;
  /** How the session's agent reaches `vybe`. */
  readonly vybe?: string;
  /** What was written earlier is not deleted at the end of a session. */
  readonly deletableSince?: string;
}

/** Does what an event of a host's session calls for and returns what to print. Text is redacted before it is stored. */
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
    otherPayload: 'tell',
  } as const;
  const { output } = await writeOnce(database, key, ports, async (scope) => ({
    output: await HANDLERS[event](scope, new HookInput(input), call),
  }));
  return output;
}

/** The context of a session that begins while the store cannot be written: as far as it can be read, and nothing is remembered. */
export async function glanceAtStart(
  database: Database,
  { input, agent, vybe }: Omit<HookCall, 'event' | 'deletableSince'>,
  ports: StorePorts,
): Promise<string> {
  return database.snapshot(async (session) => {
    const scope = createScope(session, agent, ports);
    const question = startQuestion(agent, new HookInput(input), vybe);
    return startAnswer(renderPrompt(scope, await peek(session, question, scope.at), vybe));
  });
}

const HANDLERS: Readonly<
  Record<
    HookEvent,
    (scope: Scope, input: HookInput, call: Pick<HookCall, 'vybe' | 'deletableSince'>) => Promise<string>
  >
> = {
  'session-start': async (scope, input, { vybe }) => {
    const { prompt } = await resumeWork(scope, startQuestion(scope.agent, input, vybe));
    return startAnswer(prompt);
  },
  prompt: (scope, input) => note(scope, input, 'user_prompt', input.text('prompt', 4000)),
  'tool-success': (scope, input) =>
    note(scope, input, 'tool_success', input.text('tool_name', 200), input.tool()),
  'tool-failure': (scope, input) =>
    note(
      scope,
      input,
      'tool_failure',
      `${input.text('tool_name', 200)}: ${input.text('error', 1000)}`,
      input.tool(),
    ),
  checkpoint: (scope, input, call) => tidy(scope, input, 'checkpoint', call.deletableSince),
  'session-end': (scope, input, call) => tidy(scope, input, 'session_end', call.deletableSince),
  'task-completed': async (scope, input) => {
    const task = await scope.session.first(findTask, { id: input.text('task_id', 200) });
    const summary = input.text('task_subject', 1000) || 'completed in the session';
    if (task === undefined || task.status === 'completed')
      return note(scope, input, 'host_task_completed', summary);
    await completeTask(scope, task.id, { outcome: 'done', summary });
    return '';
  },
};

function startQuestion(agent: string, input: HookInput, vybe: string | undefined): ResumeQuestion {
  return { agent, projectId: input.cwd, limit: MAX_DELTAS, focus: undefined, budgetTokens: 1500, vybe };
}

/** What a host puts before its model, in the form that it reads. */
function startAnswer(prompt: string): string {
  return `${JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'SessionStart',
      additionalContext: excerpt(prompt, MAX_OUTPUT_CHARACTERS),
    },
  })}\n`;
}

async function note(
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

async function tidy(
  scope: Scope,
  input: HookInput,
  kind: string,
  since: string | undefined,
): Promise<string> {
  await purgeExpired(scope, { limit: MAX_COLLECTED, ...(since !== undefined && { since }) });
  return note(scope, input, kind, input.text('reason', 200) || input.text('trigger', 200) || kind);
}

/** What a host sent, read leniently: it may be of another version than we know. */
class HookInput {
  readonly #input: Readonly<Record<string, unknown>>;

  constructor(input: Readonly<Record<string, unknown>>) {
    this.#input = input;
  }

  /** The project is the folder of the session, literally. */
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

/** Reads what a host piped in. */
export function parseHookInput(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new Fault('E_VALIDATION', 'The hook was given something else than a JSON object.', {
    details: { field: 'stdin' },
  });
}
