import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Budget } from '../accounting/budget.ts';
import type { TraceIds } from '../accounting-entry.ts';
import type { AIAgentResult } from '../agent-result.ts';
import { renderReport } from '../report/render-report.ts';
import type { ToolCallContext, ToolHost, ToolOutcome } from '../tool-host.ts';

/** An agent that another agent calls as a tool. It runs a session with its own conversation. */
export interface SubAgent {
  readonly name: string;
  readonly description: string;
  /** The schema of its input; `{prompt}` when absent. */
  readonly inputSchema?: JsonObject;
  readonly run: (input: JsonObject, child: ChildSession) => Promise<AIAgentResult>;
}

/** The link between a sub-agent's session and its caller's. */
export interface ChildSession {
  readonly trace: TraceIds;
  readonly signal: AbortSignal;
  readonly stopSignal: AbortSignal;
  /** The caller's budget, which the child also charges. */
  readonly budget: Budget;
}

const PROMPT_SCHEMA: JsonObject = {
  type: 'object',
  properties: { prompt: { type: 'string', description: 'The task, with everything it needs to know.' } },
  required: ['prompt'],
};

/** Creates the tool host of sub-agents. `callers` are the names from the root agent to the agent that gets these tools. */
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
        // A sub-agent enforces its own limits.
        timeoutMs: 0,
      })),
    call: async (name, input, context) => {
      const agent = byTool.get(name);
      return agent === undefined
        ? { ok: false, reason: `unknown agent ${name}` }
        : callAgent(agent, input, context);
    },
    close: async () => {},
  };
}

/** Throws a Fault when an agent would call itself, directly or indirectly. */
export function assertNoCycle(name: string, callers: readonly string[]): void {
  if (!callers.includes(name)) return;
  const path = [...callers.slice(callers.indexOf(name)), name].join(' -> ');
  throw new Fault('E_CONFIG', `The agents call each other in a cycle: ${path}.`, {
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
    const { accounting, error = 'no result' } = result;
    const text = renderReport(result.finalReport);
    if (result.success) return { ok: true, text, accounting };
    return { ok: false, reason: text.includes(error) ? text : `${error}\n${text}`, accounting };
  } catch (error) {
    return { ok: false, reason: errorMessage(error) };
  }
}
