import { sha256 } from '../../base/digest.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Change } from '../../contract/plan.ts';
import { resolveDependencies } from '../../work/item/resolve-dependencies.ts';
import type { WorkItem } from '../../work/item/work-item.ts';
import type { WorkContext } from '../../work/work-context.ts';
import { loadWork } from './load-work.ts';

/** What an item says in addition to its limits; only what it says. */
function describeRules({
  paths,
  max_lines,
  forbid,
  setup_command,
  working_directory,
  env,
  services,
  retries,
}: WorkItem): JsonObject {
  const rules = { paths, max_lines, forbid, setup_command, working_directory, env, services, retries };
  return JSON.parse(JSON.stringify(rules)) as JsonObject;
}

/** Lists one change per item; the token covers the item and the definition of its agent. */
export async function planChanges(
  items: readonly WorkItem[],
  root: string,
  system: WorkContext,
  branch?: string,
): Promise<Change[]> {
  const { describeIsolation, describeLanding, identifyAgent } = await loadWork();
  const agents = new Map<string, JsonValue>();
  for (const { agent_id } of items) agents.set(agent_id, await identifyAgent(system, agent_id, root));
  const landing = branch === undefined ? {} : await describeLanding(system, root, branch);
  const confined = new Map<string, JsonObject>();
  for (const item of items) confined.set(item.id, await describeIsolation(item, system));
  return resolveDependencies(items).flatMap((level, index) =>
    level.map((item) => ({
      action: 'run',
      resource: 'work item',
      id: item.id,
      after: {
        agent_id: item.agent_id,
        description: item.description,
        level: index,
        root,
        ...landing,
        limits: { ...item.constraints },
        ...confined.get(item.id),
        test_command: item.test_command ?? null,
        approval: item.approval === true,
        ...describeRules(item),
      },
      version: sha256(canonicalJson({ item, agent: agents.get(item.agent_id) ?? null, root })).slice(0, 16),
    })),
  );
}
