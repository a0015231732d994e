import { ownMember } from '../../base/own-member.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../base/json.ts';
import { versionOf, type Change } from '../../contract/plan.ts';
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
  work: WorkContext,
  branch?: string,
): Promise<Change[]> {
  const { checkProgram, describeIsolation, describeLanding, identifyAgent } = await loadWork();
  const agents = new Map<string, JsonValue>();
  const programs = new Map<string, JsonObject>();
  for (const agentId of new Set(items.map(({ agent_id }) => agent_id))) {
    agents.set(agentId, await identifyAgent(work, agentId, root));
    const agent = ownMember(work.agents, agentId);
    const checked = agent && checkProgram(agentId, agent, work);
    if (checked?.signedIn === false) warnSignIn(agentId, agent?.kind, work);
    programs.set(agentId, {
      ...(checked && { program: checked.program }),
      ...(checked?.signedIn !== undefined && { signed_in: checked.signedIn }),
    });
  }
  const landing = branch === undefined ? {} : await describeLanding(work, root, branch);
  const confined = new Map<string, JsonObject>();
  for (const item of items) confined.set(item.id, await describeIsolation(item, work, root));
  return resolveDependencies(items).flatMap((level, index) =>
    level.map((item) => ({
      action: 'run',
      resource: 'work item',
      id: item.id,
      after: {
        agent_id: item.agent_id,
        ...programs.get(item.agent_id),
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
      version: versionOf(canonicalJson({ item, agent: agents.get(item.agent_id) ?? null, root })).slice(
        0,
        16,
      ),
    })),
  );
}

/** A sign-in that deed cannot see, such as one of a cloud provider, is possible. */
function warnSignIn(agentId: string, kind: string | undefined, { warn }: WorkContext): void {
  const way =
    kind === 'codex' ? '"codex login" or CODEX_API_KEY' : '"claude" and /login, or ANTHROPIC_API_KEY';
  warn?.(`Agent "${agentId}" does not seem to be signed in; sign in with ${way}.`);
}
