import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { AgentCall } from '../../agent/plan-agent.ts';
import { expandIncludes, readPromptFile, type PromptFile } from '../../agent/prompt-file/read-prompt-file.ts';
import { startsLikePromptFile } from '../../agent/prompt-file/misplaced-frontmatter.ts';
import { decodeText } from '../../base/decode-text.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { CommandContext } from '../../contract/command.ts';
import { readBytesIfPresent, readFileIfPresent } from '../../system/durable-file.ts';

const MAX_PROMPT_BYTES = 4 * 1024 * 1024;
const STDIN_WAIT_MS = 30_000;
const MAX_PATH_CHARACTERS = 4096;
/** Enough for the first lines of a prompt file. */
const START_CHARACTERS = 1000;

/** A system prompt as it was read. */
export interface SystemPrompt {
  readonly system: string;
  /** The folder of the prompt file, which may contain a configuration layer. */
  readonly folder: string | undefined;
  readonly promptFile: PromptFile | undefined;
}

/** Reads the system prompt of a call: text, a file, a prompt file or standard input. */
export async function readSystem(given: string | undefined, context: CommandContext): Promise<SystemPrompt> {
  const { system } = context;
  if (given === undefined || given.trim() === '') throw missingPrompt('system');
  if (given === '-')
    return { system: await readInput('system', context), folder: undefined, promptFile: undefined };
  const isFile = given.startsWith('@');
  const named = isFile ? given.slice(1) : given;
  const path = resolve(system.cwd, named);
  const mayBeFile = isFile || isNameOfFile(path, given);
  if (isPromptFile(given, named, system.cwd) || (mayBeFile && startsLikePromptFile(readStart(path)))) {
    const promptFile = await readPromptFile(path);
    return { system: promptFile.body, folder: promptFile.folder, promptFile };
  }
  if (!isFile) {
    if (mayBeFile)
      context.warn(
        `The system prompt is the text "${given}". To read the file of this name, pass @${given}.`,
      );
    return { system: given, folder: undefined, promptFile: undefined };
  }
  return {
    system: expandIncludes(readText(path, 'system'), path),
    folder: dirname(path),
    promptFile: undefined,
  };
}

/** Returns whether a prompt names a `.ai` file. Text with spaces counts only if the file exists. */
function isPromptFile(given: string, named: string, cwd: string): boolean {
  if (!named.endsWith('.ai') || named.includes('\n')) return false;
  return given.startsWith('@') || !/\s/u.test(named) || existsSync(resolve(cwd, named));
}

/** Returns whether a text is the path of a file. A name alone is text: a word of a prompt may be one by chance. */
function isNameOfFile(path: string, given: string): boolean {
  if (!given.includes('/') || given.includes('\n') || given.length > MAX_PATH_CHARACTERS) return false;
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Returns the start of a file; a file that cannot be read has none, and its reader reports why. */
function readStart(path: string): string {
  try {
    return readFileIfPresent(path, MAX_PROMPT_BYTES)?.slice(0, START_CHARACTERS) ?? '';
  } catch {
    return '';
  }
}

/** A task with its files. */
export type PromptTask = Pick<AgentCall, 'userPrompt' | 'attachments'>;

/** Reads the task of a call and its files; text files become part of the prompt. */
export async function readTask(
  given: string | undefined,
  params: { readonly attach?: string[] | undefined; readonly allow_private_urls?: boolean | undefined },
  context: CommandContext,
): Promise<PromptTask> {
  const prompt = await readUser(given, context);
  const { attach = [], allow_private_urls: allowPrivate = false } = params;
  if (attach.length === 0) return { userPrompt: prompt };
  const { addTexts, readAttachments } = await import('../../agent/attachments/read-attachments.ts');
  const { cwd, env, fetch } = context.system;
  const read = await readAttachments(attach, { cwd, env, fetch, allowPrivate });
  return { userPrompt: addTexts(prompt, read), attachments: read.attachments };
}

/** Reads the task of a call: text, a file or standard input. */
async function readUser(given: string | undefined, context: CommandContext): Promise<string> {
  if (given === undefined || given.trim() === '') throw missingPrompt('user');
  if (given.startsWith('@')) return readText(resolve(context.system.cwd, given.slice(1)), 'user');
  return given === '-' ? readInput('user', context) : given;
}

async function readInput(field: string, { system }: CommandContext): Promise<string> {
  const text = decodeText(await system.readStdin(MAX_PROMPT_BYTES, STDIN_WAIT_MS), 'Standard input');
  if (text.trim() === '') throw missingPrompt(field, 'Standard input is empty.');
  return text;
}

function readText(path: string, field: string): string {
  const bytes = readBytesIfPresent(path, MAX_PROMPT_BYTES);
  const text = bytes === undefined ? undefined : decodeText(bytes, path);
  if (text !== undefined && (text.trim() !== '' || field === 'schema')) return text;
  if (text !== undefined) throw missingPrompt(field, `File ${path} is empty.`);
  throw new Fault('E_VALIDATION', `File ${path} does not exist.`, {
    hint: `Pass ${field} as text, or as @ followed by a file path.`,
    details: { field, path },
  });
}

/** Reads the schema of a JSON report: text or a file. */
export function readOutputSchema(given: string, cwd: string): JsonObject {
  const text = given.startsWith('@') ? readText(resolve(cwd, given.slice(1)), 'schema') : given;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidSchema(error);
  }
  if (!isPlainObject(value)) throw invalidSchema();
  return value as JsonObject;
}

/** The fault of a prompt that is missing or empty. */
function missingPrompt(field: string, problem?: string): Fault {
  return promptFault(field, [`Missing ${field} prompt.`, problem].filter(Boolean).join(' '));
}

export function promptFault(field: string, message: string): Fault {
  return new Fault('E_USAGE', message, {
    hint: 'Pass two prompts, <system> <user>, each as text or @file; one of them may be -, for standard input.',
    details: { field },
  });
}

function invalidSchema(cause?: unknown): Fault {
  return new Fault('E_VALIDATION', 'The schema is not a JSON object.', {
    hint: 'Pass a JSON Schema to --schema, as text or @file.',
    details: { field: 'schema', kind: 'schema' },
    cause,
  });
}
