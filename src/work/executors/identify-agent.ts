import type { JsonValue } from '../../base/json.ts';
import { RECONCILER } from '../item/work-item.ts';
import type { WorkContext } from '../work-context.ts';
import { requireAgent } from './agent-config.ts';

/** Returns everything that defines the behaviour of an agent, so that a confirm token covers it. Null for the reconciler without an agent. */
export async function identifyAgent(context: WorkContext, agentId: string, root: string): Promise<JsonValue> {
  if (agentId === RECONCILER && !Object.hasOwn(context.agents, RECONCILER)) return null;
  const agent = requireAgent(context.agents, agentId);
  if (agent.kind !== 'builtin' || context.builtinIdentity === undefined) return agent as JsonValue;
  return [agent as JsonValue, await context.builtinIdentity(agent.options ?? {}, root)];
}
