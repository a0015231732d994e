import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { ParametersOf } from '../../contract/described-command.ts';
import type { WorkItem } from '../../work/item/work-item.ts';
import { WORK_LIMITS } from '../../work/work-limits.ts';
import type { WorkContext } from '../../work/work-context.ts';
import { loadWork } from './load-work.ts';

const text = () => v.optional(v.pipe(v.string(), v.minLength(1)));

/** Which tasks become a plan, and how they are worked on. */
export const TASK_PARAMETERS = {
  from_tasks: described(
    v.optional(v.boolean(), false),
    'Make the plan of the tasks that can be begun and of what depends on them, and close them by result',
  ),
  agent: described(text(), 'With --from-tasks: who works on a task that does not say'),
  project: described(text(), 'With --from-tasks: the project of the tasks (default: the path of the tree)'),
  test_command: described(text(), 'With --from-tasks: the tests of a task that names none'),
  limit: described(
    v.optional(v.pipe(int(), v.minValue(1), v.maxValue(WORK_LIMITS.items))),
    'With --from-tasks: how many tasks at most (default: 20)',
  ),
};

const DEFAULT_TASKS = 20;

type TaskParameters = ParametersOf<typeof TASK_PARAMETERS>;

/** Refuses what would be ignored. */
export function assertTaskParameters(given: TaskParameters): void {
  if (given.from_tasks) return;
  const { agent, project, test_command, limit } = given;
  const [name] =
    Object.entries({ agent, project, test_command, limit }).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  throw new Fault('E_VALIDATION', `--${name.replace('_', '-')} fits only --from-tasks.`, {
    hint: 'A plan says it for each of its items.',
    details: { field: name },
  });
}

/** Reads the plan that the tasks of a project make; says which are left out because somebody works on them. */
export async function readTaskPlan(
  given: TaskParameters,
  root: string,
  system: WorkContext,
  context: CommandContext,
): Promise<readonly WorkItem[]> {
  const { planTasks } = await loadWork();
  const { items, leftOut } = await planTasks(context, {
    project: given.project ?? root,
    limit: given.limit ?? DEFAULT_TASKS,
    agent: given.agent ?? onlyAgent(system),
    testCommand: given.test_command,
  });
  for (const sentence of leftOut) context.warn(sentence);
  return items;
}

/** Where there is one agent it need not be named. */
function onlyAgent({ agents }: WorkContext): string | undefined {
  const names = Object.keys(agents);
  return names.length === 1 ? names[0] : undefined;
}
