import type { JsonObject } from '../../base/json.ts';
import { requireAgent } from '../executors/agent-config.ts';
import { RECONCILER, type WorkItem } from '../item/work-item.ts';
import { policyOf } from './policy-of.ts';
import { assertProgramVisible } from './program-paths.ts';
import type { WorkContext } from '../work-context.ts';
import { chooseIsolation, describeLimits } from '../workspace/choose-isolation.ts';
import { detectCapabilities } from '../workspace/probe-workspace.ts';
import type { Isolation } from '../workspace/isolation.ts';
import type { SandboxPolicy, WorkspaceProbe } from '../workspace/workspace.ts';
import { listReadPaths } from '../workspace/sandbox/plan-sandbox.ts';

/** Determines how commands are confined. Contract: rejects with E_CONFIG if they cannot be and the caller has not consented. */
export async function requireIsolation(
  context: Pick<WorkContext, 'workspace' | 'allowUnsandboxed'>,
): Promise<{ readonly probe: WorkspaceProbe; readonly isolation: Isolation }> {
  const probe = await detectCapabilities(context.workspace, { trust: true });
  return { probe, isolation: chooseIsolation(context.workspace, probe, context) };
}

/**
 * Describes how the commands of an item will be confined, for previews. Contract: rejects with E_CONFIG if they cannot be, and the
 * caller has not consented to run them unsandboxed, or if they would not see the program of the agent.
 */
export async function describeIsolation(
  item: WorkItem,
  context: WorkContext,
  root: string,
): Promise<JsonObject> {
  const { probe, isolation } = await requireIsolation(context);
  const hasNoAgent = item.agent_id === RECONCILER && !Object.hasOwn(context.agents, RECONCILER);
  const agent = hasNoAgent ? undefined : requireAgent(context.agents, item.agent_id);
  const policy: Partial<SandboxPolicy> = agent === undefined ? {} : policyOf(item, agent, context, root);
  if (agent !== undefined && isolation !== 'none')
    assertProgramVisible(item.agent_id, agent, context, { policy, root });
  return {
    isolation,
    network: item.network ?? true,
    ...(isolation !== 'none' && { read_paths: [...listReadPaths(context.workspace, policy)] }),
    ...(policy.writePaths !== undefined &&
      policy.writePaths.length > 0 && { write_paths: [...policy.writePaths] }),
    ...(isolation !== 'bubblewrap' && { isolation_limits: [...describeLimits(probe)] }),
  };
}
