import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { projectOf } from '../../app/project-of.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { ParametersOf } from '../../contract/described-command.ts';
import type { WorkItem } from '../../work/item/work-item.ts';
import { WORK_LIMITS } from '../../work/work-limits.ts';
import { loadWork } from './load-work.ts';

const text = () => v.optional(v.pipe(v.string(), v.minLength(1)));

/** Parameters of `--from-tasks`. */
export const TASK_PARAMETERS = {
  from_tasks: described(
    v.optional(v.boolean(), false),
    'Create the plan from ready tasks and their dependents, and update the tasks by result',
  ),
  agent: described(text(), 'With --from-tasks: agent of tasks that do not name one'),
  project: described(text(), 'With --from-tasks: project of the tasks (default: the project of the tree)'),
  test_command: described(text(), 'With --from-tasks: test command of tasks that do not name one'),
  limit: described(
    v.optional(v.pipe(int(), v.minValue(1), v.maxValue(WORK_LIMITS.items))),
    'With --from-tasks: maximum number of tasks (default: 20)',
  ),
};

const DEFAULT_TASKS = 20;

type TaskParameters = ParametersOf<typeof TASK_PARAMETERS>;

/** Rejects parameters that would be ignored without --from-tasks. */
export function assertTaskParameters(params: TaskParameters): void {
  if (params.from_tasks) return;
  const { agent, project, test_command, limit } = params;
  const [name] =
    Object.entries({ agent, project, test_command, limit }).find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  throw new Fault('E_VALIDATION', `--${name.replace('_', '-')} requires --from-tasks.`, {
    hint: 'Set it for each item of the plan.',
    details: { field: name },
  });
}

/** Creates the plan from the tasks of a project; warns about tasks that are skipped. */
export async function readTaskPlan(
  params: TaskParameters,
  root: string,
  context: CommandContext,
): Promise<readonly WorkItem[]> {
  const { onlyConfiguredAgent, planTasks } = await loadWork();
  const { items, skipped } = await planTasks(context, {
    project: params.project ?? (await projectOf(context, root)) ?? root,
    limit: params.limit ?? DEFAULT_TASKS,
    agent: params.agent ?? onlyConfiguredAgent(context),
    testCommand: params.test_command,
  });
  for (const message of skipped) context.warn(message);
  return items;
}
