import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Budget } from '../accounting/budget.ts';
import type { TraceIds } from '../accounting-entry.ts';
import type { AIAgentResult } from '../agent-result.ts';
import { renderReport } from '../report/render-report.ts';
import type { ToolCallContext, ToolHost, ToolOutcome } from '../tool-host.ts';

/** An agent that another may call as a tool. It is a whole session with a conversation of its own. */
export interface SubAgent {
  readonly name: string;
  readonly description: string;
  /** What it is asked; a prompt when absent. */
  readonly inputSchema?: JsonObject;
  readonly run: (input: JsonObject, child: ChildSession) => Promise<AIAgentResult>;
}

/** How a sub-agent's session hangs together with its caller's. */
export interface ChildSession {
  readonly trace: TraceIds;
  readonly signal: AbortSignal;
  readonly stopSignal: AbortSignal;
  /** The caller's: the child spends out of it. */
  readonly budget: Budget;
}

const PROMPT_SCHEMA: JsonObject = {
  type: 'object',
  properties: { prompt: { type: 'string', description: 'The task, with everything it needs to know.' } },
  required: ['prompt'],
};

/** Offers agents as tools. `callers` are the names from the first agent to the one that gets these tools. */
export function createSubAgentHost(agents: readonly SubAgent[], callers: readonly string[]): ToolHost {
  const byTool = new Map(agents.map((agent) => [`agent__${agent.name}`, agent]));
  return {
    name: 'agent',
    start: async () => {
      for (const { name } of agents) assertNoCycle(name, callers);
    },
    listTools: () =>
      [...byTool].map(([name, { description, inputSchema }]) => ({
        name,
        description,
        inputSchema: inputSchema ?? PROMPT_SCHEMA,
        origin: { kind: 'agent', server: 'agent' },
        // It has limits of its own.
        timeoutMs: 0,
      })),
    call: async (name, input, context) => {
      const agent = byTool.get(name);
      return agent === undefined
        ? { ok: false, reason: `there is no agent ${name}` }
        : callAgent(agent, input, context);
    },
    close: async () => {},
  };
}

/** Refuses an agent that would call itself, directly or through others. */
export function assertNoCycle(name: string, callers: readonly string[]): void {
  if (!callers.includes(name)) return;
  const path = [...callers.slice(callers.indexOf(name)), name].join(' -> ');
  throw new Fault('E_CONFIG', `The agents call each other in a circle: ${path}.`, {
    hint: 'Remove one of them from the agents of its caller.',
    details: { path },
  });
}

async function callAgent(agent: SubAgent, input: JsonObject, context: ToolCallContext): Promise<ToolOutcome> {
  const { txnId, parentTxnId, originTxnId, callPath, signal, stopSignal, budget } = context;
  const trace = {
    agentId: agent.name,
    callPath: `${callPath}->${agent.name}`,
    txnId,
    parentTxnId,
    originTxnId,
  };
  try {
    const result = await agent.run(input, { trace, signal, stopSignal, budget });
    const { accounting } = result;
    return result.success
      ? { ok: true, text: renderReport(result.finalReport), accounting }
      : {
          ok: false,
          reason: `${result.error ?? 'no answer'}\n${renderReport(result.finalReport)}`,
          accounting,
        };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
