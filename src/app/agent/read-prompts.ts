import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { AgentCall } from '../../agent/plan-agent.ts';
import { expandIncludes, readPromptFile, type PromptFile } from '../../agent/prompt-file/read-prompt-file.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { CommandContext } from '../../contract/command.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';

const MAX_PROMPT_BYTES = 4 * 1024 * 1024;
const STDIN_WAIT_MS = 30_000;

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
  if (given === undefined || given.trim() === '') throw missingPrompt('system', 'Pass a system prompt.');
  if (given === '-')
    return { system: await readInput('system', context), folder: undefined, promptFile: undefined };
  const named = given.startsWith('@') ? given.slice(1) : given;
  if (isPromptFile(given, named, system.cwd)) {
    const promptFile = await readPromptFile(resolve(system.cwd, named));
    return { system: promptFile.body, folder: promptFile.folder, promptFile };
  }
  if (!given.startsWith('@')) return { system: given, folder: undefined, promptFile: undefined };
  const path = resolve(system.cwd, named);
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

/** A task with its files. */
export type Task = Pick<AgentCall, 'userPrompt' | 'attachments'>;

/** Reads the task of a call and its files; text files become part of the prompt. */
export async function readTask(
  given: string | undefined,
  params: { readonly attach?: string[] | undefined; readonly allow_private_urls?: boolean | undefined },
  context: CommandContext,
): Promise<Task> {
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
  if (given === undefined || given.trim() === '') throw missingPrompt('user', 'Pass a user prompt.');
  if (given.startsWith('@')) return readText(resolve(context.system.cwd, given.slice(1)), 'user');
  return given === '-' ? readInput('user', context) : given;
}

async function readInput(field: string, { system }: CommandContext): Promise<string> {
  const text = new TextDecoder().decode(await system.readStdin(MAX_PROMPT_BYTES, STDIN_WAIT_MS));
  if (text.trim() === '') throw missingPrompt(field, 'Standard input is empty.');
  return text;
}

function readText(path: string, field: string): string {
  const text = readFileIfPresent(path, MAX_PROMPT_BYTES);
  if (text !== undefined && (text.trim() !== '' || field === 'schema')) return text;
  if (text !== undefined) throw missingPrompt(field, `File ${path} is empty.`);
  throw new Fault('E_VALIDATION', `File ${path} does not exist.`, {
    hint: `Pass ${field} as text, or as @ followed by a file path.`,
    details: { field, path },
  });
}

/** Reads the schema of a JSON report: text or a file. */
export function readSchema(given: string, cwd: string): JsonObject {
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
export function missingPrompt(field: string, problem: string): Fault {
  return new Fault('E_USAGE', `Missing ${field} prompt. ${problem}`, {
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
