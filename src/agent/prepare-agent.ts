import { randomId } from '../base/ids.ts';
import type { AgentConfig } from './config/load-config.ts';
import { knownSecrets } from './config/known-secrets.ts';
import type { LlmPort } from './llm-port.ts';
import { createMask, maskHost, maskLlm, type Mask } from './mask-secrets.ts';
import { allPlans, openPlan, type CallerPorts, type OpenedPlan } from './open-plan.ts';
import { planAgent, type AgentCall, type AgentPlan } from './plan-agent.ts';
import type { PromptFacts } from './prompt-file/prompt-variables.ts';
import { openLlm, readScript, type OpenLlmWorld } from './providers/open-llm.ts';
import { recordCassette, renderCassette } from './providers/script-cassette.ts';
import { checkConfig } from './session/check-config.ts';
import { markSession } from './session/mark-session.ts';
import type { ToolHost } from './tool-host.ts';
import { createMcpHost } from './tools/mcp-host.ts';
import { McpServerPool } from './tools/mcp-server-pool.ts';
import type { McpServerWorld } from './tools/mcp-server.ts';
import { createRestHost } from './tools/rest-host.ts';
import { selectTools } from './tools/select-tools.ts';
import { ToolQueues } from './tools/tool-queues.ts';

export type { CallerPorts };

export interface AgentWorld extends McpServerWorld, OpenLlmWorld {
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
  world: AgentWorld,
  options: PrepareOptions = {},
): Promise<PreparedAgent> {
  const plan = await planAgent(call, { config, facts: world.facts });
  for (const each of allPlans(plan)) {
    checkConfig(each.config);
    // A name that is nothing should not wait for the model to call the agent that has it.
    selectTools(config, each.toolNames);
  }
  const port = options.replay === undefined ? openPlanLlm(plan, config, world) : readScript(options.replay);
  const mask = maskOf(plan, config, world);
  const recorder = options.record === true ? recordCassette(port) : undefined;
  // Known before there is a session, because its tools are marked with it.
  const txnId = plan.config.trace?.txnId ?? randomId();
  const traced = { ...plan, config: { ...plan.config, trace: { ...plan.config.trace, txnId } } };
  const pool = options.pool ?? new McpServerPool({ ...world, marks: markSession(txnId) });
  const opened = openPlan(traced, {
    llm: recorder?.port ?? port,
    clock: world.clock,
    sleep: world.sleep,
    queues: new ToolQueues(config.queues),
    openTools: (each) => openConfigured(each, config, pool, world).map((host) => maskHost(host, mask)),
  });
  return {
    ...opened,
    plan,
    recording: () => renderCassette(recorder?.read() ?? { version: 1, exchanges: [] }),
  };
}

/** Opens the models of an agent and of all below it. */
export function openPlanLlm(plan: AgentPlan, config: AgentConfig, world: OpenLlmWorld): LlmPort {
  return maskLlm(openLlm(providersOf(plan), config, world), maskOf(plan, config, world));
}

function providersOf(plan: AgentPlan): readonly string[] {
  return allPlans(plan).flatMap((each) => each.config.targets.map(({ provider }) => provider));
}

function maskOf(plan: AgentPlan, config: AgentConfig, { env }: Pick<OpenLlmWorld, 'env'>): Mask {
  const tools = allPlans(plan).flatMap(({ toolNames }) => toolNames);
  return createMask(knownSecrets(config, { providers: providersOf(plan), tools }, env));
}

/** Opens the tools that an agent names in the configuration; servers are leased, so that sessions share them. */
function openConfigured(
  { toolNames }: AgentPlan,
  config: AgentConfig,
  pool: McpServerPool,
  { fetch }: AgentWorld,
): readonly ToolHost[] {
  const { servers, restTools } = selectTools(config, toolNames);
  const hosts: ToolHost[] = Object.entries(servers).map(([name, server]) =>
    createMcpHost(pool.lease(name, server.settings), server),
  );
  if (Object.keys(restTools).length > 0) hosts.push(createRestHost(restTools, fetch));
  return hosts;
}
