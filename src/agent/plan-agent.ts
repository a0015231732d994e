import { basename, resolve } from 'node:path';
import type { JsonObject } from '../base/json.ts';
import type { AgentConfig } from './config/load-config.ts';
import { resolveSession, type SessionSettings } from './config/resolve-session.ts';
import { splitNames, type Frontmatter } from './prompt-file/frontmatter-schema.ts';
import { fillVariables, promptVariables, type PromptFacts } from './prompt-file/prompt-variables.ts';
import { readPromptFile, type PromptFile } from './prompt-file/read-prompt-file.ts';
import type { SessionConfig } from './session-config.ts';
import { assertNoCycle } from './tools/sub-agent-host.ts';

/** What a caller wants done. */
export interface AgentCall {
  readonly agentId: string;
  readonly systemPrompt: string;
  readonly userPrompt: string;
  /** Where the system prompt comes from, when it comes from a file with settings of its own. */
  readonly promptFile?: PromptFile | undefined;
  readonly settings: SessionSettings;
  readonly outputSchema?: JsonObject | undefined;
  /** Prompt files of agents that this one may call, as absolute paths. */
  readonly agents?: readonly string[];
}

/** One agent with the agents below it, everything resolved and nothing started. */
export interface AgentPlan {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject | undefined;
  readonly config: SessionConfig;
  /** The system prompt before its variables were filled: the same for the same files. */
  readonly source: string;
  readonly toolNames: readonly string[];
  readonly children: readonly AgentPlan[];
}

export interface PlanDependencies {
  readonly config: AgentConfig;
  readonly facts: PromptFacts;
  /** Reads the prompt files of agents that are called; from the disk when absent. */
  readonly readPrompt?: (path: string) => Promise<PromptFile>;
}

/** Plans an agent and those it may call, however deep. Agents that would call each other in a circle are a fault. */
export async function planAgent(
  call: AgentCall,
  deps: PlanDependencies,
  callers: readonly string[] = [call.agentId],
): Promise<AgentPlan> {
  const head = call.promptFile?.frontmatter ?? {};
  const config = resolveConfig(call, head, deps);
  const { stream } = call.settings;
  const handedDown = {
    models: config.targets.map(({ provider, model }) => `${provider}/${model}`),
    ...(stream !== undefined && { stream }),
  };
  const children: AgentPlan[] = [];
  for (const path of agentPaths(call, head)) children.push(await planChild(path, handedDown, deps, callers));
  return {
    name: call.agentId,
    description: head.description ?? head.usage ?? '',
    inputSchema: head.input?.schema as JsonObject | undefined,
    config,
    source: call.systemPrompt,
    toolNames: call.settings.tools ?? splitNames(head.tools) ?? deps.config.defaults.tools ?? [],
    children,
  };
}

/** The name of the agent that a prompt file describes. */
export function agentName({ path, frontmatter }: PromptFile): string {
  return (
    frontmatter.toolName ??
    basename(path)
      .replace(/\.[^.]*$/u, '')
      .replaceAll(/[^A-Za-z0-9_-]+/gu, '_')
  );
}

async function planChild(
  path: string,
  { models, ...asked }: SessionSettings,
  deps: PlanDependencies,
  callers: readonly string[],
): Promise<AgentPlan> {
  const promptFile = await (deps.readPrompt ?? readPromptFile)(path);
  const agentId = agentName(promptFile);
  assertNoCycle(agentId, callers);
  // An agent without models of its own thinks with its caller's.
  const own = promptFile.frontmatter.models === undefined ? { models } : {};
  const format = promptFile.frontmatter.output?.format ?? 'sub-agent';
  const call = {
    agentId,
    systemPrompt: promptFile.body,
    userPrompt: '',
    promptFile,
    settings: { ...asked, ...own, format },
  };
  return planAgent(call, deps, [...callers, agentId]);
}

function agentPaths(call: AgentCall, head: Frontmatter): readonly string[] {
  const folder = call.promptFile?.folder ?? '.';
  const named = (splitNames(head.agents) ?? []).map((name) => resolve(folder, name));
  return [...(call.agents ?? []), ...named];
}

function resolveConfig(
  call: AgentCall,
  head: Frontmatter,
  { config, facts }: PlanDependencies,
): SessionConfig {
  const outputSchema = call.outputSchema ?? (head.output?.schema as JsonObject | undefined);
  const fromFile = settingsOf(head);
  // A schema without a format can only be meant for JSON.
  const format = call.settings.format ?? fromFile.format ?? (outputSchema === undefined ? undefined : 'json');
  const settings = { ...call.settings, ...(format !== undefined && { format }) };
  const session = resolveSession(config, { call: settings, promptFile: fromFile }, { ...call, outputSchema });
  const { limits, output } = session;
  return {
    ...session,
    systemPrompt: fillVariables(session.systemPrompt, promptVariables(facts, limits, output.format)),
  };
}

/** The settings of a head, under the names that every source of settings uses. */
function settingsOf(head: Frontmatter): SessionSettings {
  const {
    description: _d,
    usage: _u,
    toolName: _t,
    input: _i,
    agents: _a,
    models,
    tools,
    output,
    ...limits
  } = head;
  const named = splitNames(models);
  const wanted = splitNames(tools);
  return {
    ...limits,
    ...(named && { models: [...named] }),
    ...(wanted && { tools: [...wanted] }),
    ...(output?.format !== undefined && { format: output.format }),
  };
}
