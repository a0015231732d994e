import type { JsonValue } from '../../base/json.ts';
import { RECONCILER } from '../item/work-item.ts';
import type { WorkWorld } from '../work-world.ts';
import { requireAgent } from './agent-config.ts';

/** Tells everything that decides what an agent does, so that whoever agrees to a run agrees to this very agent. Null for the reconciler alone. */
export async function identifyAgent(world: WorkWorld, agentId: string, root: string): Promise<JsonValue> {
  if (agentId === RECONCILER && !Object.hasOwn(world.agents, RECONCILER)) return null;
  const agent = requireAgent(world.agents, agentId);
  if (agent.kind !== 'builtin' || world.builtinIdentity === undefined) return agent as JsonValue;
  return [agent as JsonValue, await world.builtinIdentity(agent.options ?? {}, root)];
}
