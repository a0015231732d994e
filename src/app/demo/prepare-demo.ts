import { writeAgents } from './demo-agents.ts';
import type { LiveModel } from './choose-model.ts';
import type { DemoCaller } from './demo-caller.ts';
import { OVER_LIMIT, PROMPT_FILE, RECONCILER_ITEM, TOOLS, type DemoItem } from './demo-project.ts';
import { plain, shown, type StepReport } from './demo-step.ts';
import type { DemoEnvironment } from './create-environment.ts';

/** Step: write the plans and the agents. */
export async function prepareDemo(
  demo: DemoEnvironment,
  live: LiveModel | undefined,
  { confirm }: DemoCaller,
): Promise<StepReport> {
  const plan = [...TOOLS.map(renderItem), RECONCILER_ITEM];
  demo.write('plan.json', `${JSON.stringify(plan, null, 2)}\n`);
  demo.write('licence.json', `${JSON.stringify([renderItem(OVER_LIMIT)], null, 2)}\n`);
  const model = live?.model;
  writeAgents(demo, live);
  const agents = Object.fromEntries(
    [...TOOLS, OVER_LIMIT].map((item) => [item.agent, builtinAgent(item, model)]),
  );
  demo.write('agents.json', `${JSON.stringify({ key: 'work.agents', value: agents }, null, 2)}\n`);
  await confirm(['deed', 'config', 'set', '--input', '@../agents.json']);
  return {
    id: 'stage',
    title: 'Set up an isolated folder',
    lines: [
      shown(
        `${demo.folder} contains a small ${demo.missing(['git']).length === 0 ? 'git repository' : 'project'}, four agents and a separate deed home.`,
      ),
      plain(
        model === undefined
          ? 'The agents use recorded model responses, so no key and no network are needed. Everything else is real.'
          : `The three agents of the plan call ${model}; the others use recorded responses.`,
      ),
    ],
    facts: {
      folder: demo.folder,
      repository: demo.repository,
      live: model !== undefined,
      model: model ?? null,
    },
  };
}

function renderItem({ id, agent, prompt, maxFiles, test }: DemoItem): object {
  return {
    id,
    agent_id: agent,
    description: prompt,
    constraints: { max_files: maxFiles, max_tool_ops: 20, timeout_ms: 60_000 },
    ...(test !== undefined && { test_command: test }),
  };
}

/** All agents share one prompt file. The item that must be denied always uses its recording, because a real model would stay within its limits. */
function builtinAgent(item: DemoItem, model: string | undefined): object {
  const models = [item === OVER_LIMIT || model === undefined ? `${item.id}/recorded` : model];
  return { kind: 'builtin', options: { file: PROMPT_FILE, models } };
}
