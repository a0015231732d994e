import { posix } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { redact, redactText } from '../../base/secrets/redact.ts';
import { excerpt } from '../../base/text.ts';
import { headAndTail } from '../brief/head-and-tail.ts';
import { excerptOutput } from '../command-output/excerpt-output.ts';
import { isReader } from '../command-output/command-words.ts';
import { toolOutput, reportsFailure } from '../command-output/reports-failure.ts';
import type { TodoList } from '../brief/open-todos.ts';
import { parseTodoList } from './parse-todo-list.ts';

const EDIT_TOOL = /^(?:edit|write|multiedit|notebookedit|patch|apply_patch|write_file|replace)$/iu;
/** The members in which hosts pass the path of an edited file. */
const PATH_MEMBERS = ['file_path', 'filePath', 'notebook_path', 'path'] as const;
/** The members in which hosts pass a patch; Codex passes it like a command. */
const PATCH_MEMBERS = ['patchText', 'patch', 'input', 'command'] as const;
const PATCHED_FILE = /^\*\*\* (?:(?:Update|Add) File|Move to): (.+)$/gmu;
/** What hosts add to the prompt of a user: context of hooks, reminders, reports of background tasks, the open file. */
const ADDED_BY_HOST =
  /<(hook_context|system-reminder|task-notification|ide_\w+|local-command-\w+|command-message)>[\s\S]*?(?:<\/\1>|$)|<\/?command-(?:name|args)>/gu;
/** The exit status that a host writes into the output of a command. */
const ADDED_TO_OUTPUT =
  /^(?:(?:Command|Directory|Exit Code|Background PIDs|Process Group PGID): .*|(?:Error|Signal): \(none\))\n?|^Output: /gmu;
const FAILED_STATUS = /^(?:Exit [Cc]ode:|Process exited with code) ([1-9]\d*)$/mu;

const MAX_FAILURE_CHARACTERS = 1500;
/** Of one call. */
const MAX_FILES = 15;

/** The input from a host, read leniently, because its version may differ from the known ones. Text is redacted. */
export class HookInput {
  readonly #input: Readonly<Record<string, unknown>>;
  /** The project of the session: the one that the caller determined, otherwise the path of its folder. */
  readonly project: string | undefined;

  constructor(input: Readonly<Record<string, unknown>>, project?: string) {
    this.#input = input;
    this.project = project ?? (this.text('cwd', 500) || undefined);
  }

  get session(): string {
    return this.text('session_id', 100);
  }

  /** What the user wrote; empty if the host wrote all of it. */
  prompt(length: number): string {
    return headAndTail(this.#redacted('prompt').replaceAll(ADDED_BY_HOST, '').trim(), length);
  }

  text(name: string, length: number): string {
    return excerpt(this.#redacted(name), length);
  }

  /** Text that is shortened in its middle: errors end with their cause, and requests with their limits. */
  headAndTail(name: string, length: number): string {
    return headAndTail(this.#redacted(name), length);
  }

  /** A failed tool call: its tool and the informative lines of its output. */
  failure(): string {
    return this.#failureOf(this.#redacted('error'));
  }

  /** Like `failure`, for a command that failed although its exit status is 0; undefined if it did not fail. */
  hiddenFailure(): string | undefined {
    const { tool_input: input, tool_response: response } = this.#input;
    if (!isPlainObject(input) || typeof input.command !== 'string') return undefined;
    const output = toolOutput(response);
    const status = FAILED_STATUS.exec(output)?.[1];
    if (status !== undefined && !isReader(input.command))
      return this.#failureOf(redacted(`exit code ${status}\n${output.replaceAll(ADDED_TO_OUTPUT, '')}`));
    return reportsFailure(input.command, output) ? this.#failureOf(redacted(output)) : undefined;
  }

  /** The to-do list that the tool call wrote; undefined for other calls, and for those of a subagent, which has a list of its own. */
  todoList(): TodoList | undefined {
    if (this.text('agent_id', 1) !== '') return undefined;
    return parseTodoList(this.text('tool_name', 200), this.#input.tool_input);
  }

  /** The tool call: its input, and the command or the file separately, because the input may be shortened. */
  tool(): JsonObject {
    const input = this.#input.tool_input;
    if (!isPlainObject(input)) return {};
    const shown = redact(input);
    const isEdit = EDIT_TOOL.test(this.text('tool_name', 200));
    const command = isEdit ? undefined : textMember(shown, ['command']);
    const [path, ...others] = isEdit ? editedPaths(shown).map((name) => this.#inFolder(name)) : [];
    const text = JSON.stringify(shown).toWellFormed();
    return {
      ...(command !== undefined && { command: excerpt(command, 500) }),
      ...(path !== undefined && { file_path: path }),
      ...(others.length > 0 && { other_files: others }),
      tool_input: text.length > 1000 ? excerpt(text, 1000) : (JSON.parse(text) as JsonObject),
    };
  }

  /** The path of a file, from the folder of the session. */
  #inFolder(path: string): string {
    const folder = this.text('cwd', 500);
    return excerpt(folder.startsWith('/') ? posix.resolve(folder, path) : path, 500);
  }

  #redacted(name: string): string {
    const value = this.#input[name];
    if (value === undefined || value === null) return '';
    return redacted(typeof value === 'string' ? value : JSON.stringify(value));
  }

  #failureOf(output: string): string {
    return `${this.text('tool_name', 200)}: ${excerptOutput(output, MAX_FAILURE_CHARACTERS)}`;
  }
}

function redacted(text: string): string {
  return redactText(text.toWellFormed().replaceAll('\u0000', ''));
}

/** The files that a tool call edited: one, or those of a patch. */
function editedPaths(input: Readonly<Record<string, unknown>>): string[] {
  const path = textMember(input, PATH_MEMBERS);
  if (path !== undefined) return [path];
  const patch = textMember(input, PATCH_MEMBERS) ?? '';
  return [...patch.matchAll(PATCHED_FILE)].map(([, name = '']) => name.trim()).slice(0, MAX_FILES);
}

function textMember(owner: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = owner[name];
    if (typeof value === 'string' && value !== '') return value.toWellFormed().replaceAll('\u0000', '');
  }
  return undefined;
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
