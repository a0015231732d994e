import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { SessionSettings } from '../../agent/config/resolve-session.ts';
import { agentName, type AgentCall } from '../../agent/plan-agent.ts';
import { prepareAgent, type PreparedAgent } from '../../agent/prepare-agent.ts';
import { expandIncludes, readPromptFile, type PromptFile } from '../../agent/prompt-file/read-prompt-file.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { LoadedConfig } from '../../agent/config/load-config.ts';
import type { CommandContext } from '../../contract/command.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import { agentConfig, agentDependencies } from './agent-dependencies.ts';

/** Parameters of the agent commands, with their external names. */
export interface AgentParameters {
  readonly system?: string | undefined;
  readonly user?: string | undefined;
  readonly models?: string[] | undefined;
  readonly tools?: string[] | undefined;
  readonly agents?: string[] | undefined;
  readonly config?: string | undefined;
  readonly schema?: string | undefined;
  readonly replay?: string | undefined;
  readonly record?: string | undefined;
  readonly [setting: string]: unknown;
}

export interface PreparedCall {
  readonly agent: PreparedAgent;
  readonly config: LoadedConfig;
}

const MAX_PROMPT_BYTES = 4 * 1024 * 1024;
const STDIN_WAIT_MS = 30_000;

/** Reads the prompts and configuration of a call and prepares its agent without starting it. Emits the configuration's warnings. */
export async function prepareAgentCall(
  params: AgentParameters,
  context: CommandContext,
): Promise<PreparedCall> {
  try {
    return await prepare(params, context);
  } catch (error) {
    throw error instanceof Fault && error.code === 'E_IO' ? unreadableInput(error) : error;
  }
}

/** A file that cannot be read is a mistake in the arguments or the configuration, like one that does not exist. */
function unreadableInput({ code, message, hint, details, cause }: Fault): Fault {
  return new Fault(code, message, {
    hint: hint ?? 'Pass the path of a readable text file.',
    details: { ...details, kind: 'config' },
    cause,
  });
}

async function prepare(params: AgentParameters, context: CommandContext): Promise<PreparedCall> {
  if (params.system === '-' && params.user === '-')
    throw missingPrompt('user', 'Standard input can be only one of the two prompts.');
  const { system, folder, promptFile } = await readSystem(params.system, context);
  const config = agentConfig(context, params.config, folder);
  const emitted = config.warnings.length;
  for (const warning of config.warnings) context.warn(warning);
  const { cwd } = context.system;
  const call: AgentCall = {
    agentId: promptFile === undefined ? 'ai-agent' : agentName(promptFile),
    systemPrompt: system,
    userPrompt: await readUser(params.user, context),
    promptFile,
    settings: toSettings(params),
    outputSchema: params.schema === undefined ? undefined : readSchema(params.schema, cwd),
    agents: (params.agents ?? []).map((path) => resolve(cwd, path)),
  };
  const agent = await prepareAgent(call, config, agentDependencies(context), {
    replay: params.replay === undefined ? undefined : resolve(cwd, params.replay),
    record: params.record !== undefined,
    oversizedTools: context.gate === 'open' ? 'warn' : 'refuse',
  });
  // Some warnings appear only when a part of the configuration is used.
  for (const warning of config.warnings.slice(emitted)) context.warn(warning);
  return { agent, config };
}

interface SystemPrompt {
  readonly system: string;
  /** The folder of the prompt file, which may contain a configuration layer. */
  readonly folder: string | undefined;
  readonly promptFile: PromptFile | undefined;
}

async function readSystem(given: string | undefined, context: CommandContext): Promise<SystemPrompt> {
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

function readSchema(given: string, cwd: string): JsonObject {
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

/** Maps parameters to session settings. */
const SETTINGS: Readonly<Record<string, keyof SessionSettings>> = {
  models: 'models',
  tools: 'tools',
  max_turns: 'maxTurns',
  max_retries: 'maxRetries',
  max_tool_calls_per_turn: 'maxToolCallsPerTurn',
  tool_response_max_bytes: 'toolResponseMaxBytes',
  tool_timeout_ms: 'toolTimeoutMs',
  llm_timeout_ms: 'llmTimeoutMs',
  max_cost_usd: 'maxCostUsd',
  max_total_tokens: 'maxTotalTokens',
  max_duration_ms: 'maxDurationMs',
  context_window: 'contextWindow',
  max_output_tokens: 'maxOutputTokens',
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  repeat_penalty: 'repeatPenalty',
  reasoning: 'reasoning',
  report_format: 'format',
  transport: 'toolingTransport',
  stream: 'stream',
  trace_tools: 'traceTools',
};

function toSettings(params: AgentParameters): SessionSettings {
  const given = Object.entries(SETTINGS).filter(([name]) => params[name] !== undefined);
  return Object.fromEntries(given.map(([name, setting]) => [setting, params[name]]));
}

function missingPrompt(field: string, problem: string): Fault {
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
