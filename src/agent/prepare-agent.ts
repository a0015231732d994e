import { randomId } from '../base/ids.ts';
import type { AgentConfig } from './config/load-config.ts';
import type { LlmPort } from './llm-port.ts';
import { planAgent, type AgentCall, type AgentPlan } from './plan-agent.ts';
import type { PromptFacts } from './prompt-file/prompt-variables.ts';
import { openLlm, readScript, type OpenLlmWorld } from './providers/open-llm.ts';
import { recordCassette, renderCassette } from './providers/script-cassette.ts';
import { AIAgentSession } from './session/ai-agent-session.ts';
import { checkConfig } from './session/check-config.ts';
import { markSession } from './session/mark-session.ts';
import type { SessionPorts } from './session-ports.ts';
import type { ToolHost } from './tool-host.ts';
import { createMcpHost } from './tools/mcp-host.ts';
import { McpServerPool } from './tools/mcp-server-pool.ts';
import type { McpServerWorld } from './tools/mcp-server.ts';
import { createRestHost } from './tools/rest-host.ts';
import { selectTools } from './tools/select-tools.ts';
import { createSubAgentHost, type SubAgent } from './tools/sub-agent-host.ts';
import { ToolQueues } from './tools/tool-queues.ts';

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

/** What the caller of a session adds: who watches it, and what ends it. */
export type CallerPorts = Pick<SessionPorts, 'onEvent' | 'signal' | 'stopSignal' | 'saveSnapshot'>;

/** An agent that is ready to run: whatever can be checked without starting anything was checked. */
export interface PreparedAgent {
  readonly plan: AgentPlan;
  readonly tools: readonly ToolHost[];
  /** Contract: once; a session closes the tools it was given. */
  readonly createSession: (ports: CallerPorts) => AIAgentSession;
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
  const port = openPort(plan, config, world, options.replay);
  const recorder = options.record === true ? recordCassette(port) : undefined;
  // Known before there is a session, because its tools are marked with it.
  const txnId = plan.config.trace?.txnId ?? randomId();
  let caller: CallerPorts = {};
  const shared: Shared = {
    config,
    world,
    llm: recorder?.port ?? port,
    pool: options.pool ?? new McpServerPool({ ...world, marks: markSession(txnId) }),
    queues: new ToolQueues(config.queues),
    caller: () => caller,
  };
  const tools = openHosts(plan, [plan.name], shared);
  return {
    plan,
    tools,
    recording: () => renderCassette(recorder?.read() ?? { version: 1, exchanges: [] }),
    createSession: (ports) => {
      caller = ports;
      const config = { ...plan.config, trace: { ...plan.config.trace, txnId } };
      return AIAgentSession.create(config, { ...sessionPorts(shared, tools), ...ports });
    },
  };
}

/** What an agent has in common with those it calls. */
interface Shared {
  readonly config: AgentConfig;
  readonly world: AgentWorld;
  readonly llm: LlmPort;
  readonly pool: McpServerPool;
  readonly queues: ToolQueues;
  readonly caller: () => CallerPorts;
}

function allPlans(plan: AgentPlan): readonly AgentPlan[] {
  return [plan, ...plan.children.flatMap(allPlans)];
}

function openPort(
  plan: AgentPlan,
  config: AgentConfig,
  world: AgentWorld,
  replay: string | undefined,
): LlmPort {
  if (replay !== undefined) return readScript(replay);
  const targets = allPlans(plan).flatMap((each) => each.config.targets);
  return openLlm(
    targets.map(({ provider }) => provider),
    config,
    world,
  );
}

function sessionPorts(
  { llm, world, queues }: Shared,
  tools: readonly ToolHost[],
): Pick<SessionPorts, 'llm' | 'tools' | 'clock' | 'sleep' | 'queues'> {
  return { llm, tools, clock: world.clock, sleep: world.sleep, queues };
}

function openHosts(plan: AgentPlan, callers: readonly string[], shared: Shared): readonly ToolHost[] {
  const { servers, restTools } = selectTools(shared.config, plan.toolNames);
  const hosts: ToolHost[] = Object.entries(servers).map(([name, server]) =>
    createMcpHost(shared.pool.lease(name, server.settings), server),
  );
  if (Object.keys(restTools).length > 0) hosts.push(createRestHost(restTools, shared.world.fetch));
  if (plan.children.length > 0) {
    const agents = plan.children.map((child) => toSubAgent(child, callers, shared));
    hosts.push(createSubAgentHost(agents, callers));
  }
  return hosts;
}

/** A sub-agent is a whole session; its tools are leased when it is called, and released when it ends. */
function toSubAgent(plan: AgentPlan, callers: readonly string[], shared: Shared): SubAgent {
  return {
    name: plan.name,
    description: plan.description,
    ...(plan.inputSchema !== undefined && { inputSchema: plan.inputSchema }),
    run: async (input, { trace, signal, stopSignal }) => {
      const tools = openHosts(plan, [...callers, plan.name], shared);
      const userPrompt = typeof input.prompt === 'string' ? input.prompt : JSON.stringify(input);
      const { onEvent } = shared.caller();
      const session = AIAgentSession.create(
        { ...plan.config, userPrompt, trace },
        { ...sessionPorts(shared, tools), ...(onEvent && { onEvent }), signal, stopSignal },
      );
      return session.run();
    },
  };
}
