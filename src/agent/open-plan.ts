import type { AIAgentResult } from './agent-result.ts';
import type { LlmPort } from './llm-port.ts';
import type { AgentPlan } from './plan-agent.ts';
import { EventStream } from './session/event-stream.ts';
import { AIAgentSession } from './session/ai-agent-session.ts';
import type { SessionPorts } from './session-ports.ts';
import { createChildSessionLog } from './stored-session/child-session-log.ts';
import type { ToolHost } from './tool-host.ts';
import { createSubAgentHost, type ChildSession, type SubAgent } from './tools/sub-agent-host.ts';

/** Ports that the caller of a session supplies: its event listener, cancellation signals and snapshot writer. */
export type CallerPorts = Pick<
  SessionPorts,
  | 'onEvent'
  | 'flush'
  | 'signal'
  | 'stopSignal'
  | 'saveSnapshot'
  | 'sessionLog'
  | 'resume'
  | 'prompt'
  | 'attachments'
  | 'head'
  | 'approve'
  | 'answer'
  | 'hooks'
  | 'approvals'
  | 'resumeCommand'
>;

/** Ports that an agent shares with its sub-agents. */
export interface PlanPorts extends Pick<SessionPorts, 'clock' | 'sleep' | 'queues' | 'oversizedTools'> {
  readonly llm: LlmPort;
  /** Creates the tools of one agent. Called for each session; the session closes them. */
  readonly openTools: (plan: AgentPlan) => readonly ToolHost[];
}

/** A planned agent with its tools, ready to create a session. */
export interface OpenedPlan {
  readonly tools: readonly ToolHost[];
  /** Contract: call it once; the session closes the tools. */
  readonly createSession: (ports: CallerPorts) => AIAgentSession;
}

/** Connects a planned agent and its sub-agents to models and tools, without starting anything. */
export function openPlan(plan: AgentPlan, ports: PlanPorts): OpenedPlan {
  let caller: CallerPorts = {};
  const shared: Shared = { ...ports, caller: () => caller };
  const tools = openToolHosts(plan, [plan.name], shared);
  return {
    tools,
    createSession: (given) => {
      const events = new EventStream(given.onEvent);
      caller = { ...given, onEvent: events.emit };
      return AIAgentSession.create(plan.config, { ...sessionPorts(shared, tools), ...given, events });
    },
  };
}

/** Returns the plans of an agent and all its sub-agents. */
export function flattenPlans(plan: AgentPlan): readonly AgentPlan[] {
  return [plan, ...plan.children.flatMap(flattenPlans)];
}

interface Shared extends PlanPorts {
  readonly caller: () => CallerPorts;
}

function sessionPorts(
  { llm, clock, sleep, queues, oversizedTools }: Shared,
  tools: readonly ToolHost[],
): Pick<SessionPorts, 'llm' | 'tools' | 'clock' | 'sleep' | 'queues' | 'oversizedTools'> {
  return {
    llm,
    tools,
    clock,
    sleep,
    ...(queues !== undefined && { queues }),
    ...(oversizedTools !== undefined && { oversizedTools }),
  };
}

function openToolHosts(plan: AgentPlan, callers: readonly string[], shared: Shared): readonly ToolHost[] {
  const own = shared.openTools(plan);
  if (plan.children.length === 0) return own;
  const agents = plan.children.map((child) => toSubAgent(child, callers, shared));
  return [...own, createSubAgentHost(agents, callers)];
}

/** Returns a sub-agent that runs a full session; its tools are opened for each call and closed at its end. */
function toSubAgent(plan: AgentPlan, callers: readonly string[], shared: Shared): SubAgent {
  return {
    name: plan.name,
    description: plan.description,
    ...(plan.inputSchema !== undefined && { inputSchema: plan.inputSchema }),
    run: async (input, { trace, signal, stopSignal, budget }: ChildSession): Promise<AIAgentResult> => {
      const tools = openToolHosts(plan, [...callers, plan.name], shared);
      const userPrompt = typeof input.prompt === 'string' ? input.prompt : JSON.stringify(input);
      const { onEvent, sessionLog, approve, answer, hooks } = shared.caller();
      const session = AIAgentSession.create(
        { ...plan.config, userPrompt, trace },
        {
          ...sessionPorts(shared, tools),
          ...(onEvent && { onEvent }),
          ...(approve && { approve }),
          ...(answer && { answer }),
          ...(hooks && { hooks }),
          ...(sessionLog && { sessionLog: createChildSessionLog(sessionLog, trace.txnId ?? '') }),
          signal,
          stopSignal,
          callerBudget: budget,
        },
      );
      return session.run();
    },
  };
}
