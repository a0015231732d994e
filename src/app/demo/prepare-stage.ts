import { writeAgents } from './demo-agents.ts';
import type { LiveModel } from './choose-model.ts';
import type { DemoCaller } from './demo-caller.ts';
import { GREEDY, PROMPT_FILE, RECONCILER_ITEM, TOOLS, type DemoItem } from './demo-project.ts';
import { plain, shown, type DemoTale } from './demo-step.ts';
import type { DemoStage } from './open-stage.ts';

/** Writes the plans and the agents, and says where everything is. */
export async function prepareStage(
  stage: DemoStage,
  live: LiveModel | undefined,
  { confirm }: DemoCaller,
): Promise<DemoTale> {
  const plan = [...TOOLS.map(renderItem), RECONCILER_ITEM];
  stage.write('plan.json', `${JSON.stringify(plan, null, 2)}\n`);
  stage.write('licence.json', `${JSON.stringify([renderItem(GREEDY)], null, 2)}\n`);
  const model = live?.model;
  writeAgents(stage, live);
  const agents = Object.fromEntries(
    [...TOOLS, GREEDY].map((item) => [item.agent, builtinAgent(item, model)]),
  );
  stage.write('agents.json', `${JSON.stringify({ key: 'work.agents', value: agents }, null, 2)}\n`);
  await confirm(['deed', 'config', 'set', '--input', '@../agents.json']);
  return {
    id: 'stage',
    title: 'A place of its own',
    lines: [
      shown(
        `${stage.folder} holds a small ${stage.hasGit ? 'git repository' : 'project'}, four agents and a home of deed of its own.`,
      ),
      plain(
        model === undefined
          ? 'The agents play recorded answers of a model, so this needs no key and no network. Everything else is real.'
          : `The three agents of the plan ask ${model}; the others play recorded answers.`,
      ),
    ],
    facts: {
      folder: stage.folder,
      repository: stage.repository,
      live: model !== undefined,
      model: model ?? null,
    },
  };
}

function renderItem({ id, agent, asks, maxFiles, test }: DemoItem): object {
  return {
    id,
    agent_id: agent,
    description: asks,
    constraints: { max_files: maxFiles, max_tool_ops: 20, timeout_ms: 60_000 },
    ...(test !== undefined && { test_command: test }),
  };
}

/** One prompt file for all. Each has a recording for a model, unless a real one is asked; that would not do too much for our sake. */
function builtinAgent(item: DemoItem, model: string | undefined): object {
  const models = [item === GREEDY || model === undefined ? `${item.id}/recorded` : model];
  return { kind: 'builtin', options: { file: PROMPT_FILE, models } };
}
