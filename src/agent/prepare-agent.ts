import { randomId } from '../base/ids.ts';
import type { AgentConfig } from './config/load-config.ts';
import { knownSecrets } from './config/known-secrets.ts';
import type { LlmPort } from './llm-port.ts';
import { createMask, maskHost, maskLlm, type Mask } from './mask-secrets.ts';
import { allPlans, openPlan, type CallerPorts, type OpenedPlan } from './open-plan.ts';
import { planAgent, type AgentCall, type AgentPlan } from './plan-agent.ts';
import type { PromptFacts } from './prompt-file/prompt-variables.ts';
import { openLlm, readScript, type ProviderDependencies } from './providers/open-llm.ts';
import { recordCassette, renderCassette } from './providers/script-cassette.ts';
import { checkConfig } from './session/check-session-config.ts';
import { markSession } from './session/mark-session.ts';
import type { ToolHost } from './tool-host.ts';
import { createMcpHost } from './tools/mcp-tool-host.ts';
import { McpServerPool } from './tools/mcp-server-pool.ts';
import type { McpServerDependencies } from './tools/mcp-server.ts';
import { createRestHost } from './tools/rest-host.ts';
import { selectTools } from './tools/select-tools.ts';
import { ToolQueues } from './tools/tool-queues.ts';

export type { CallerPorts };

export interface AgentDependencies extends McpServerDependencies, ProviderDependencies {
  readonly facts: PromptFacts;
}

export interface PrepareOptions {
  /** A recording or scenario that answers instead of the providers. */
  readonly replay?: string | undefined;
  /** Keeps what is asked and answered, for `recording`. */
  readonly record?: boolean;
  /** Servers that sessions of this process share; by default this agent has its own. */
  readonly pool?: McpServerPool;
}

/** An agent that is ready to run: whatever can be checked without starting anything was checked. */
export interface PreparedAgent extends OpenedPlan {
  readonly plan: AgentPlan;
  /** What was asked and answered so far, as the text of a recording. */
  readonly recording: () => string;
}

/** Puts an agent together with its providers, tools and sub-agents. Throws a fault for whatever cannot work. */
export async function prepareAgent(
  call: AgentCall,
  config: AgentConfig,
  deps: AgentDependencies,
  options: PrepareOptions = {},
): Promise<PreparedAgent> {
  const plan = await planAgent(call, { config, facts: deps.facts });
  for (const each of allPlans(plan)) {
    checkConfig(each.config);
    // A name that is nothing should not wait for the model to call the agent that has it.
    selectTools(config, each.toolNames);
  }
  const port = options.replay === undefined ? openPlanLlm(plan, config, deps) : readScript(options.replay);
  const mask = maskOf(plan, config, deps);
  const recorder = options.record === true ? recordCassette(port) : undefined;
  // Known before there is a session, because its tools are marked with it.
  const txnId = plan.config.trace?.txnId ?? randomId();
  const traced = { ...plan, config: { ...plan.config, trace: { ...plan.config.trace, txnId } } };
  const pool = options.pool ?? new McpServerPool({ ...deps, marks: markSession(txnId) });
  const opened = openPlan(traced, {
    llm: recorder?.port ?? port,
    clock: deps.clock,
    sleep: deps.sleep,
    queues: new ToolQueues(config.queues),
    openTools: (each) => openConfigured(each, config, pool, deps).map((host) => maskHost(host, mask)),
  });
  return {
    ...opened,
    plan,
    recording: () => renderCassette(recorder?.read() ?? { version: 1, exchanges: [] }),
  };
}

/** Opens the models of an agent and of all below it. */
export function openPlanLlm(plan: AgentPlan, config: AgentConfig, deps: ProviderDependencies): LlmPort {
  return maskLlm(openLlm(providersOf(plan), config, deps), maskOf(plan, config, deps));
}

function providersOf(plan: AgentPlan): readonly string[] {
  return allPlans(plan).flatMap((each) => each.config.targets.map(({ provider }) => provider));
}

function maskOf(plan: AgentPlan, config: AgentConfig, { env }: Pick<ProviderDependencies, 'env'>): Mask {
  const tools = allPlans(plan).flatMap(({ toolNames }) => toolNames);
  return createMask(knownSecrets(config, { providers: providersOf(plan), tools }, env));
}

/** Opens the tools that an agent names in the configuration; servers are leased, so that sessions share them. */
function openConfigured(
  { toolNames }: AgentPlan,
  config: AgentConfig,
  pool: McpServerPool,
  { fetch }: AgentDependencies,
): readonly ToolHost[] {
  const { servers, restTools } = selectTools(config, toolNames);
  const hosts: ToolHost[] = Object.entries(servers).map(([name, server]) =>
    createMcpHost(pool.lease(name, server.settings), server),
  );
  if (Object.keys(restTools).length > 0) hosts.push(createRestHost(restTools, fetch));
  return hosts;
}
