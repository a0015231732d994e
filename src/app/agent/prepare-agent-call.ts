import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SessionSettings } from '../../agent/config/resolve-session.ts';
import { withAttachments } from '../../agent/conversation.ts';
import { agentName, type AgentCall } from '../../agent/plan-agent.ts';
import type { SessionStorage } from '../../agent/stored-session/session-storage.ts';
import { continueSession } from '../../agent/stored-session/continue-session.ts';
import { prepareAgent, type PreparedAgent } from '../../agent/prepare-agent.ts';
import { isoTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import type { LoadedConfig } from '../../agent/config/load-config.ts';
import type { CommandContext } from '../../contract/command.ts';
import { promptFault, readOutputSchema, readSystem, readTask } from './read-prompts.ts';
import { agentConfig, agentDependencies } from './agent-dependencies.ts';
import { checkDecisions, type Answers } from './check-decisions.ts';

/** Parameters of the agent commands, with their external names. */
export interface AgentParameters {
  readonly system?: string | undefined;
  readonly user?: string | undefined;
  readonly attach?: string[] | undefined;
  readonly allow_private_urls?: boolean | undefined;
  readonly models?: string[] | undefined;
  readonly tools?: string[] | undefined;
  readonly agents?: string[] | undefined;
  readonly skills?: string[] | undefined;
  readonly agents_md?: boolean | undefined;
  readonly config?: string | undefined;
  readonly schema?: string | undefined;
  readonly replay?: string | undefined;
  readonly record?: string | undefined;
  readonly resume?: string | undefined;
  readonly fork?: string | undefined;
  readonly approve?: string[] | undefined;
  readonly deny?: string[] | undefined;
  readonly answer?: Answers | undefined;
  readonly [setting: string]: unknown;
}

export interface PreparedCall {
  readonly agent: PreparedAgent;
  readonly config: LoadedConfig;
  /** The stored session that is continued, as a preview shows it. */
  readonly continued: JsonObject;
  /** Whether only a person may decide on its tool calls, whichever program continues it. */
  readonly isForPerson: boolean;
}

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

/** A file that cannot be read is a mistake in the arguments or the configuration, like a file that does not exist. */
function unreadableInput({ code, message, hint, details, cause }: Fault): Fault {
  return new Fault(code, message, {
    hint: hint ?? 'Pass the path of a readable text file.',
    details: { ...details, kind: 'config' },
    cause,
  });
}

async function prepare(params: AgentParameters, context: CommandContext): Promise<PreparedCall> {
  const isContinued = params.resume !== undefined || params.fork !== undefined;
  const { call, storage } = await (isContinued ? readContinued(params, context) : readCall(params, context));
  checkDecisions(params, storage.resume);
  const { cwd } = context.system;
  // A continued session works in its own folder, with the configuration of that folder.
  const { tool, home, gate } = context;
  const own = { tool, home, gate, system: { ...context.system, cwd: existingFolder(storage.head.cwd) } };
  const config = agentConfig(own, storage.head.config, storage.head.folder);
  const emitted = config.warnings.length;
  for (const warning of config.warnings) context.warn(warning);
  const agent = await prepareAgent(call, config, agentDependencies(own), {
    storage,
    warn: context.warn,
    replay: params.replay === undefined ? undefined : resolve(cwd, params.replay),
    record: params.record !== undefined,
    oversizedTools: context.gate === 'open' ? 'warn' : 'refuse',
  });
  // Some warnings appear only when a part of the configuration is used.
  for (const warning of config.warnings.slice(emitted)) context.warn(warning);
  return {
    agent,
    config,
    continued: describeContinued(storage),
    isForPerson: storage.head.decider === 'person',
  };
}

function describeContinued({ resume, forkOf, prompt }: SessionStorage): JsonObject {
  if (resume === undefined) return {};
  return {
    [forkOf === undefined ? 'resume' : 'fork']: forkOf ?? resume.id,
    updated_at: isoTime(resume.updatedAt),
    turns: resume.progress.turnsCompleted,
    ...(prompt !== undefined && { prompt }),
  };
}

interface StoredCall {
  readonly call: AgentCall;
  readonly storage: SessionStorage;
}

async function readCall(params: AgentParameters, context: CommandContext): Promise<StoredCall> {
  if (params.system === '-' && params.user === '-')
    throw promptFault('user', 'Both prompts are -; only one can be read from standard input.');
  const { system, folder, promptFile } = await readSystem(params.system, context);
  const { cwd } = context.system;
  const { userPrompt, attachments } = await readTask(params.user, params, context);
  const call: AgentCall = {
    agentId: promptFile === undefined ? 'ai-agent' : agentName(promptFile),
    systemPrompt: system,
    userPrompt,
    promptFile,
    settings: toSettings(params),
    outputSchema: params.schema === undefined ? undefined : readOutputSchema(params.schema, cwd),
    agents: (params.agents ?? []).map((path) => resolve(cwd, path)),
    skills: (params.skills ?? []).map((path) => resolve(cwd, path)),
    ...(params.agents_md !== undefined && { agentsMd: params.agents_md }),
  };
  const config = params.config === undefined ? undefined : resolve(cwd, params.config);
  const head = {
    call,
    cwd,
    ...(context.gate !== 'open' && { decider: 'person' as const }),
    ...(config !== undefined && { config }),
    ...(folder !== undefined && { folder }),
  };
  const storage = { folder: context.home.at('sessions'), head };
  return { call: { ...call, ...withAttachments(attachments) }, storage };
}

/** Reads a stored session. A call that continues a session has at most one prompt, which is its next task. */
async function readContinued(params: AgentParameters, context: CommandContext): Promise<StoredCall> {
  const { resume, fork, system, user } = params;
  if (system !== undefined && user !== undefined)
    throw new Fault('E_USAGE', 'The session to continue already has a system prompt.', {
      hint: 'Pass only the next task, or no prompt.',
      details: { field: 'system' },
    });
  const given = user ?? system;
  const isTask = given !== undefined || (params.attach ?? []).length > 0;
  const task = isTask ? await readTask(given, params, context) : undefined;
  return continueSession(context.home.at('sessions'), {
    resume,
    fork,
    prompt: task?.userPrompt,
    attachments: task?.attachments,
    settings: toSettings(params),
  });
}

/** A session that is continued needs the folder that it works in. */
function existingFolder(path: string): string {
  if (existsSync(path)) return path;
  throw new Fault('E_NOT_FOUND', `The folder of the session no longer exists: ${path}.`, {
    hint: 'Create it again, or start a new session.',
    details: { path },
  });
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
