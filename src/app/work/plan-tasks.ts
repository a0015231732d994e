import { sha256 } from '../../system/digest.ts';
import { Fault } from '../../base/fault.ts';
import { excerpt } from '../../base/text.ts';
import type { QueryRunner } from '../../continuity/database/database.ts';
import { listDependents, listOpenBlockers } from '../../continuity/database/queries/dependencies.ts';
import { readStore } from '../../continuity/database/open-store.ts';
import { readReady, readTasks } from '../../continuity/tasks/read-tasks.ts';
import { isClaimActive } from '../../continuity/tasks/holder.ts';
import type { TaskRow } from '../../continuity/tasks/task.ts';
import type { CommandContext } from '../../contract/command.ts';
import { checkItem } from '../../work/item/check-item.ts';
import type { WorkItem } from '../../work/item/work-item.ts';
import { WORK_LIMITS } from '../../work/work-limits.ts';
import { locateStore, storePassword } from '../locate-store.ts';
import { readWorkSettings, renderSetting } from './read-work-settings.ts';

export interface TaskPlanOptions {
  readonly project: string;
  /** The maximum number of tasks. */
  readonly limit: number;
  /** The agent of tasks that do not name one. */
  readonly agent?: string | undefined;
  readonly testCommand?: string | undefined;
}

export interface TaskPlan {
  readonly items: readonly WorkItem[];
  /** A message for each task that is skipped because another agent has claimed it. */
  readonly skipped: readonly string[];
}

const MAX_BLOCKERS = 1000;

/** Creates a plan from the ready tasks and the tasks that become ready after them, in the order of the queue. Reads only. */
export function planTasks(
  context: Pick<CommandContext, 'system' | 'home'>,
  options: TaskPlanOptions,
): Promise<TaskPlan> {
  const at = new Date(context.system.clock.now()).toISOString();
  return readStore(locateStore({}, context).path, storePassword(context), async (db) => {
    const ready = await readReady(db, { projectId: options.project, limit: options.limit }, at);
    if (ready.length === 0) throw nothingReady(options.project);
    const chosen = await withDependents(db, ready, options);
    const items: WorkItem[] = [];
    for (const row of chosen.values()) items.push(await itemOf(db, row, chosen, options, at));
    const busy = await readTasks(db, { status: 'in_progress', projectId: options.project, limit: 50 });
    return {
      items,
      skipped: busy
        .filter((row) => isClaimActive(row, at))
        .map(
          ({ id, claimed_by, claim_expires_at }) =>
            `Skipped ${id}: claimed by ${claimed_by} until ${claim_expires_at}.`,
        ),
    };
  });
}

/** Adds tasks whose open dependencies are all in the plan, until there are no more. */
async function withDependents(
  db: QueryRunner,
  ready: readonly TaskRow[],
  { project, limit }: TaskPlanOptions,
): Promise<ReadonlyMap<string, TaskRow>> {
  const chosen = new Map(ready.map((row) => [row.id, row]));
  // The iteration includes entries that are added during the loop.
  for (const { id } of chosen.values()) {
    for (const row of await db.all(listDependents, { task_id: id })) {
      if (chosen.size >= limit) return chosen;
      if (chosen.has(row.id) || row.status === 'completed' || (row.project_id ?? project) !== project)
        continue;
      const blockers = await db.all(listOpenBlockers, { task_id: row.id, limit: MAX_BLOCKERS });
      if (blockers.length < MAX_BLOCKERS && blockers.every((blocker) => chosen.has(blocker.id)))
        chosen.set(row.id, row);
    }
  }
  return chosen;
}

async function itemOf(
  db: QueryRunner,
  row: TaskRow,
  chosen: ReadonlyMap<string, TaskRow>,
  options: TaskPlanOptions,
  at: string,
): Promise<WorkItem> {
  const settings = await readWorkSettings(db, row, at);
  const agent_id = settings.agent_id ?? options.agent;
  if (agent_id === undefined) throw noAgent(row);
  const blockers = await db.all(listOpenBlockers, { task_id: row.id, limit: MAX_BLOCKERS });
  const text = row.description.trim() === '' ? row.title : `${row.title}\n\n${row.description}`;
  return checkItem({
    ...(options.testCommand !== undefined && { test_command: options.testCommand }),
    ...settings,
    agent_id,
    id: itemId(row.id),
    description: excerpt(text, WORK_LIMITS.textCharacters - 1),
    dependencies: blockers.filter(({ id }) => chosen.has(id)).map(({ id }) => itemId(id)),
    task_id: row.id,
  });
}

/** The item id is the task id if it is valid in a path, otherwise a digest of it. */
function itemId(taskId: string): string {
  const fits = /^[A-Za-z0-9][A-Za-z0-9._-]*$/u.test(taskId) && taskId.length <= WORK_LIMITS.nameCharacters;
  return fits ? taskId : `task-${sha256(taskId).slice(0, 16)}`;
}

function nothingReady(project: string): Fault {
  return new Fault('E_NOT_FOUND', `No task of project ${project} is ready.`, {
    hint: '"deed task list" shows all tasks, and why they are blocked; --project selects a project other than the tree.',
    details: { field: 'project', project },
  });
}

function noAgent({ id }: TaskRow): Fault {
  return new Fault('E_VALIDATION', `Task ${id} has no agent.`, {
    hint: `Pass --agent, or set it for the task: ${renderSetting(id, '{"agent_id":"agent-1"}')}.`,
    details: { field: 'agent', id },
  });
}
