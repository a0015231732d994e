import type { AIAgentResult } from './agent-result.ts';
import type { LlmPort } from './llm-port.ts';
import type { AgentPlan } from './plan-agent.ts';
import { AIAgentSession } from './session/ai-agent-session.ts';
import type { SessionPorts } from './session-ports.ts';
import type { ToolHost } from './tool-host.ts';
import { createSubAgentHost, type ChildSession, type SubAgent } from './tools/sub-agent-host.ts';

/** What the caller of a session adds: who watches it, and what ends it. */
export type CallerPorts = Pick<SessionPorts, 'onEvent' | 'signal' | 'stopSignal' | 'saveSnapshot'>;

/** What an agent has in common with those it calls. */
export interface PlanPorts extends Pick<SessionPorts, 'clock' | 'sleep' | 'queues'> {
  readonly llm: LlmPort;
  /** Makes the tools of one agent, anew for each of its sessions, which closes them. */
  readonly openTools: (plan: AgentPlan) => readonly ToolHost[];
}

/** A planned agent with everything it needs. */
export interface OpenedPlan {
  readonly tools: readonly ToolHost[];
  /** Contract: once; a session closes the tools it was given. */
  readonly createSession: (ports: CallerPorts) => AIAgentSession;
}

/** Puts a planned agent, and those it may call, together with models and tools; nothing is started. */
export function openPlan(plan: AgentPlan, ports: PlanPorts): OpenedPlan {
  let caller: CallerPorts = {};
  const shared: Shared = { ...ports, caller: () => caller };
  const tools = openHosts(plan, [plan.name], shared);
  return {
    tools,
    createSession: (given) => {
      caller = given;
      return AIAgentSession.create(plan.config, { ...sessionPorts(shared, tools), ...given });
    },
  };
}

/** Lists an agent and all below it. */
export function allPlans(plan: AgentPlan): readonly AgentPlan[] {
  return [plan, ...plan.children.flatMap(allPlans)];
}

interface Shared extends PlanPorts {
  readonly caller: () => CallerPorts;
}

function sessionPorts(
  { llm, clock, sleep, queues }: Shared,
  tools: readonly ToolHost[],
): Pick<SessionPorts, 'llm' | 'tools' | 'clock' | 'sleep' | 'queues'> {
  return { llm, tools, clock, sleep, ...(queues !== undefined && { queues }) };
}

function openHosts(plan: AgentPlan, callers: readonly string[], shared: Shared): readonly ToolHost[] {
  const own = shared.openTools(plan);
  if (plan.children.length === 0) return own;
  const agents = plan.children.map((child) => toSubAgent(child, callers, shared));
  return [...own, createSubAgentHost(agents, callers)];
}

/** A sub-agent is a whole session; its tools are opened when it is called, and closed when it ends. */
function toSubAgent(plan: AgentPlan, callers: readonly string[], shared: Shared): SubAgent {
  return {
    name: plan.name,
    description: plan.description,
    ...(plan.inputSchema !== undefined && { inputSchema: plan.inputSchema }),
    run: async (input, { trace, signal, stopSignal, budget }: ChildSession): Promise<AIAgentResult> => {
      const tools = openHosts(plan, [...callers, plan.name], shared);
      const userPrompt = typeof input.prompt === 'string' ? input.prompt : JSON.stringify(input);
      const { onEvent } = shared.caller();
      const session = AIAgentSession.create(
        { ...plan.config, userPrompt, trace },
        {
          ...sessionPorts(shared, tools),
          ...(onEvent && { onEvent }),
          signal,
          stopSignal,
          callerBudget: budget,
        },
      );
      return session.run();
    },
  };
}
