import { ownMember } from '../../base/own-member.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../base/json.ts';
import { versionOf, type Change } from '../../contract/plan.ts';
import { resolveDependencies } from '../../work/item/resolve-dependencies.ts';
import type { WorkItem } from '../../work/item/work-item.ts';
import type { WorkContext } from '../../work/work-context.ts';
import { loadWork } from './load-work.ts';

/** Fields that a preview shows if an item sets them, in addition to its limits. */
const RULES = [
  'input_files',
  'output_files',
  'paths',
  'max_lines',
  'forbid',
  'setup_command',
  'working_directory',
  'env',
  'services',
  'retries',
] as const satisfies readonly (keyof WorkItem)[];

function describeRules(item: WorkItem): JsonObject {
  const rules = Object.fromEntries(RULES.map((name) => [name, item[name]]));
  return JSON.parse(JSON.stringify(rules)) as JsonObject;
}

interface PlanOptions {
  /** The branch that the items land on. */
  readonly branch?: string | undefined;
  /** Whether no item has run yet, so that input files can be missing that an item has deleted otherwise. */
  readonly isNew?: boolean;
}

/** Lists one change per item; the token covers the item and the definition of its agent. */
export async function planChanges(
  items: readonly WorkItem[],
  root: string,
  work: WorkContext,
  { branch, isNew = false }: PlanOptions = {},
): Promise<Change[]> {
  const { checkAgentProgram, describeIsolation, describeLanding, findMissingInputs, identifyAgent } =
    await loadWork();
  const agents = new Map<string, JsonValue>();
  const programs = new Map<string, JsonObject>();
  for (const agentId of new Set(items.map(({ agent_id }) => agent_id))) {
    agents.set(agentId, await identifyAgent(work, agentId, root));
    const agent = ownMember(work.agents, agentId);
    const checked = agent && checkAgentProgram(agentId, agent, work);
    if (checked?.signedIn === false) warnSignIn(agentId, agent?.kind, work);
    programs.set(agentId, {
      ...(checked && { program: checked.program }),
      ...(checked?.signedIn !== undefined && { signed_in: checked.signedIn }),
    });
  }
  const landing = branch === undefined ? undefined : await describeLanding(work, root, branch);
  const missing = isNew ? await findMissingInputs(work, items, { root, base: landing?.base }) : new Map();
  for (const item of items) warnMissing(item, missing.get(item.id) ?? [], work);
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
        ...(missing.get(item.id)?.length && { missing_inputs: [...missing.get(item.id)] }),
      },
      version: versionOf(canonicalJson({ item, agent: agents.get(item.agent_id) ?? null, root })).slice(
        0,
        16,
      ),
    })),
  );
}

function warnMissing(
  { id, dependencies }: WorkItem,
  missing: readonly string[],
  { warn }: WorkContext,
): void {
  if (missing.length === 0) return;
  const end =
    dependencies.length === 0
      ? 'the item fails unless they exist when it starts'
      : 'they do not exist yet, and no item before it has them in output_files';
  warn?.(`Input files of item "${id}" are missing: ${missing.join(', ')}; ${end}.`);
}

/** A sign-in that deed cannot see, such as one of a cloud provider, is possible. */
function warnSignIn(agentId: string, kind: string | undefined, { warn }: WorkContext): void {
  const way =
    kind === 'codex' ? '"codex login" or CODEX_API_KEY' : '"claude" and /login, or ANTHROPIC_API_KEY';
  warn?.(`Agent "${agentId}" does not seem to be signed in; sign in with ${way}.`);
}
