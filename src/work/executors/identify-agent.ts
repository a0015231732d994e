import type { JsonValue } from '../../base/json.ts';
import { RECONCILER } from '../item/work-item.ts';
import type { WorkContext } from '../work-context.ts';
import { requireAgent } from './agent-config.ts';

/** Tells everything that decides what an agent does, so that whoever agrees to a run agrees to this very agent. Null for the reconciler alone. */
export async function identifyAgent(context: WorkContext, agentId: string, root: string): Promise<JsonValue> {
  if (agentId === RECONCILER && !Object.hasOwn(context.agents, RECONCILER)) return null;
  const agent = requireAgent(context.agents, agentId);
  if (agent.kind !== 'builtin' || context.builtinIdentity === undefined) return agent as JsonValue;
  return [agent as JsonValue, await context.builtinIdentity(agent.options ?? {}, root)];
}
