import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { redact, redactText } from '../../base/secrets/redact.ts';
import { excerpt } from '../../base/text.ts';
import { headAndTail } from '../brief/head-and-tail.ts';
import { excerptOutput } from '../command-output/excerpt-output.ts';
import { toolOutput, reportsFailure } from '../command-output/reports-failure.ts';

const EDIT_TOOL = /^(?:edit|write|multiedit|notebookedit|patch|apply_patch|write_file|replace)$/iu;
/** The members in which hosts pass the path of an edited file. */
const PATH_MEMBERS = ['file_path', 'filePath', 'notebook_path', 'path'] as const;
const PATCHED_FILE = /^\*\*\* (?:Update|Add|Delete) File: (.+)$/mu;

const MAX_FAILURE_CHARACTERS = 1500;

/** The input from a host, read leniently, because its version may differ from the known ones. Text is redacted. */
export class HookInput {
  readonly #input: Readonly<Record<string, unknown>>;
  /** The project of the session: the one that the caller determined, otherwise its folder, literally. */
  readonly project: string | undefined;

  constructor(input: Readonly<Record<string, unknown>>, project?: string) {
    this.#input = input;
    this.project = project ?? (this.text('cwd', 500) || undefined);
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
    return reportsFailure(input.command, output) ? this.#failureOf(redacted(output)) : undefined;
  }

  /** The tool call: its input, and the command or the file separately, because the input may be shortened. */
  tool(): JsonObject {
    const input = this.#input.tool_input;
    if (!isPlainObject(input)) return {};
    const shown = redact(input);
    const command = textMember(shown, ['command']);
    const path = EDIT_TOOL.test(this.text('tool_name', 200)) ? editedPath(shown) : undefined;
    const text = JSON.stringify(shown).toWellFormed();
    return {
      ...(command !== undefined && { command: excerpt(command, 500) }),
      ...(path !== undefined && { file_path: excerpt(path, 500) }),
      tool_input: text.length > 1000 ? excerpt(text, 1000) : (JSON.parse(text) as JsonObject),
    };
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

function editedPath(input: Readonly<Record<string, unknown>>): string | undefined {
  const patch = textMember(input, ['patchText', 'patch', 'input']);
  return textMember(input, PATH_MEMBERS) ?? PATCHED_FILE.exec(patch ?? '')?.[1];
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
