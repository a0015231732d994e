import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import type { QueryRunner } from '../../continuity/database/database.ts';
import { findMemory } from '../../continuity/database/queries/memories.ts';
import { claimedFault, isClaimedByOther } from '../../continuity/tasks/holder.ts';
import { requireTask } from '../../continuity/tasks/task.ts';
import type { RunBounds } from './run-bounds.ts';
import { STAGED_COMMANDS } from './staged-log.ts';

type Parameters = Readonly<Record<string, unknown>>;
interface BoundedWrite {
  readonly command: string;
  readonly agent: string;
  readonly params: Parameters;
}

/**
 * Checks a journal write of a run inside its transaction: it has the run's own agent and project, deletes nothing, and leaves alone
 * what others claimed, pinned or wrote as a directive. Returns the parameters to apply: a task without a project gets the run's.
 */
export async function bindToRun(
  db: QueryRunner,
  { command, agent, params }: BoundedWrite,
  bounds: RunBounds,
  at: string,
): Promise<Parameters> {
  if (!(STAGED_COMMANDS as readonly string[]).includes(command))
    throw forbidden(`"${command}" is not allowed inside a run.`, { command });
  if (agent !== bounds.owner && agent !== bounds.agentId)
    throw forbidden(`A run writes only as its own agent ${bounds.owner}, not as "${agent}".`, { agent });
  const bound: Check = { db, bounds, at };
  switch (command) {
    case 'task create':
      return createInProject(params, bounds);
    case 'memory set':
      await checkMemory(bound, params);
      return params;
    case 'push':
      await checkPush(bound, params);
      return params;
    case 'task add-dep':
      await checkTask(bound, params.id);
      await checkProject(bound, params.depends_on);
      return params;
    default:
      await checkTask(bound, params.id);
      return params;
  }
}

interface Check {
  readonly db: QueryRunner;
  readonly bounds: RunBounds;
  readonly at: string;
}

function createInProject(params: Parameters, { project }: RunBounds): Parameters {
  const { project_id } = params;
  if (project_id !== undefined && project_id !== project)
    throw forbidden(`A run creates tasks only in its own project, not in ${JSON.stringify(project_id)}.`, {
      field: 'project_id',
    });
  return project === null ? params : { ...params, project_id: project };
}

async function checkPush(check: Check, { task_id, event, memories }: Parameters): Promise<void> {
  if (task_id !== undefined) await checkTask(check, task_id);
  else if (event !== undefined)
    throw forbidden('An event of a run requires a task of its project.', { field: 'task_id' });
  for (const memory of Array.isArray(memories) ? memories : [memories])
    if (isPlainObject(memory)) await checkMemory(check, memory);
}

/** A memory of the run's project, of a task in it, or of the run's own agent. */
async function checkMemory(check: Check, { scope = 'global', scope_id, key }: Parameters): Promise<void> {
  const { db, bounds } = check;
  if (scope === 'task') await checkTask(check, scope_id);
  else if (
    scope === 'project'
      ? scope_id !== bounds.project
      : scope !== 'agent' || (scope_id !== bounds.agentId && scope_id !== bounds.owner)
  )
    throw forbidden(
      `A run writes memories only of its task, project and agent, not of ${[scope, scope_id].map(textOf).filter(Boolean).join(' ')}.`,
      { field: 'scope' },
    );
  const location = { scope: textOf(scope), scope_id: textOf(scope_id), key: textOf(key) };
  const previous = await db.first(findMemory, location);
  if (previous === undefined) return;
  if (previous.kind === 'directive')
    throw forbidden(`"${previous.key}" is a directive, and only a person can change it.`, { field: 'key' });
  if (previous.pinned === 1 && previous.source_agent !== bounds.owner)
    throw forbidden(`"${previous.key}" is pinned by ${previous.source_agent}.`, { field: 'key' });
}

async function checkTask(check: Check, id: unknown): Promise<void> {
  const row = await checkProject(check, id);
  // Jobs claim without a session, and a session that the run names could be forged.
  const holder = { agent: check.bounds.owner, claimSession: null };
  if (isClaimedByOther(row, holder, check.at)) throw claimedFault(row);
}

async function checkProject({ db, bounds }: Check, id: unknown): ReturnType<typeof requireTask> {
  const row = await requireTask(db, textOf(id));
  if (row.id === bounds.taskId || row.project_id === bounds.project) return row;
  throw forbidden(`The task ${row.id} does not belong to the project of the run.`, {
    field: 'id',
    id: row.id,
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function forbidden(message: string, details: Record<string, string>): Fault {
  return new Fault('E_FORBIDDEN', message, {
    hint: 'Inside a run, write about its own task (DEED_TASK_ID) or project; run other writes outside the run.',
    details,
  });
}
