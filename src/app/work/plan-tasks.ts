import { sha256 } from '../../base/digest.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { excerpt } from '../../base/text.ts';
import type { Session } from '../../continuity/database/database.ts';
import { listDependents, listOpenBlockers } from '../../continuity/database/queries/dependencies.ts';
import { findMemory } from '../../continuity/database/queries/memories.ts';
import { readSqlite } from '../../continuity/database/sqlite/open-sqlite.ts';
import { readReady, readTasks } from '../../continuity/tasks/read-tasks.ts';
import { isClaimedByOther, type TaskRow } from '../../continuity/tasks/task.ts';
import type { CommandContext } from '../../contract/command.ts';
import { checkItem } from '../../work/item/parse-plan.ts';
import type { WorkItem } from '../../work/item/work-item.ts';
import { WORK_LIMITS } from '../../work/work-limits.ts';
import { locateStore } from '../locate-store.ts';

export interface TaskQuestion {
  readonly project: string;
  /** How many tasks at most. */
  readonly limit: number;
  /** Who works on a task that does not say. */
  readonly agent?: string | undefined;
  readonly testCommand?: string | undefined;
}

export interface TaskPlan {
  readonly items: readonly WorkItem[];
  /** Tasks that are not in the plan because somebody works on them, each with a sentence. */
  readonly leftOut: readonly string[];
}

/** The memory of a task that says how it is to be worked on: members of a work item, as JSON. */
export const WORK_KEY = 'work';
const OWN_MEMBERS: ReadonlySet<string> = new Set(['id', 'description', 'dependencies', 'task_id']);
const MANY = 1000;

/** Makes a plan of the tasks that can be begun now and of everything that then can, in the order of the queue. Reads only. */
export function planTasks(
  context: Pick<CommandContext, 'system' | 'home'>,
  question: TaskQuestion,
): Promise<TaskPlan> {
  const at = new Date(context.system.clock.now()).toISOString();
  return readSqlite(locateStore({}, context).path, {}, async (session) => {
    const ready = await readReady(session, { projectId: question.project, limit: question.limit }, at);
    if (ready.length === 0) throw nothingReady(question.project);
    const chosen = await withDependents(session, ready, question);
    const items: WorkItem[] = [];
    for (const row of chosen.values()) items.push(await itemOf(session, row, chosen, question, at));
    const busy = await readTasks(session, { status: 'in_progress', projectId: question.project, limit: 50 });
    return {
      items,
      leftOut: busy
        .filter((row) => isClaimedByOther(row, '', at))
        .map(
          ({ id, claimed_by, claim_expires_at }) =>
            `${id} is left out: ${claimed_by} has it until ${claim_expires_at}.`,
        ),
    };
  });
}

/** Adds tasks that wait for nothing but what is in the plan already, until there is none left. */
async function withDependents(
  session: Session,
  ready: readonly TaskRow[],
  { project, limit }: TaskQuestion,
): Promise<ReadonlyMap<string, TaskRow>> {
  const chosen = new Map(ready.map((row) => [row.id, row]));
  // A map goes on with what is added to it meanwhile.
  for (const { id } of chosen.values()) {
    for (const row of await session.all(listDependents, { task_id: id })) {
      if (chosen.size >= limit) return chosen;
      if (chosen.has(row.id) || row.status === 'completed' || (row.project_id ?? project) !== project)
        continue;
      const blockers = await session.all(listOpenBlockers, { task_id: row.id, limit: MANY });
      if (blockers.length < MANY && blockers.every((blocker) => chosen.has(blocker.id)))
        chosen.set(row.id, row);
    }
  }
  return chosen;
}

async function itemOf(
  session: Session,
  row: TaskRow,
  chosen: ReadonlyMap<string, TaskRow>,
  question: TaskQuestion,
  at: string,
): Promise<WorkItem> {
  const own = await readOwn(session, row, at);
  const agent_id = own.agent_id ?? question.agent;
  if (agent_id === undefined) throw noAgent(row);
  const blockers = await session.all(listOpenBlockers, { task_id: row.id, limit: MANY });
  const text = row.description.trim() === '' ? row.title : `${row.title}\n\n${row.description}`;
  return checkItem({
    ...(question.testCommand !== undefined && { test_command: question.testCommand }),
    ...own,
    agent_id,
    id: itemId(row.id),
    description: excerpt(text, WORK_LIMITS.textCharacters - 1),
    dependencies: blockers.filter(({ id }) => chosen.has(id)).map(({ id }) => itemId(id)),
    task_id: row.id,
  });
}

async function readOwn(session: Session, row: TaskRow, at: string): Promise<Record<string, unknown>> {
  const memory = await session.first(findMemory, { scope: 'task', scope_id: row.id, key: WORK_KEY });
  if (memory === undefined || (memory.expires_at !== null && memory.expires_at <= at)) return {};
  let value: unknown;
  try {
    value = JSON.parse(memory.value);
  } catch {
    // Told below, with what is no object.
  }
  if (isPlainObject(value) && !Object.keys(value).some((name) => OWN_MEMBERS.has(name))) return value;
  throw new Fault('E_VALIDATION', `The memory "${WORK_KEY}" of ${row.id} does not say how to work on it.`, {
    hint: `It is a JSON object with members of a work item but ${[...OWN_MEMBERS].join(', ')}: {"agent_id":"agent-1","test_command":"npm test"}.`,
    details: { field: WORK_KEY, id: row.id },
  });
}

/** An item is named by its task where the name can stand in a path; others by a digest. */
function itemId(taskId: string): string {
  const fits = /^[A-Za-z0-9][A-Za-z0-9._-]*$/u.test(taskId) && taskId.length <= WORK_LIMITS.nameCharacters;
  return fits ? taskId : `task-${sha256(taskId).slice(0, 16)}`;
}

function nothingReady(project: string): Fault {
  return new Fault('E_NOT_FOUND', `No task of the project ${project} can be begun now.`, {
    hint: '"deed task list" shows what there is; --project names another project than the tree.',
    details: { field: 'project', project },
  });
}

function noAgent({ id }: TaskRow): Fault {
  return new Fault('E_VALIDATION', `Nobody is named to work on ${id}.`, {
    hint: `Give --agent, or say it with the task: deed memory set --scope task --scope-id ${id} --key ${WORK_KEY} --value '{"agent_id":"agent-1"}'.`,
    details: { field: 'agent', id },
  });
}
