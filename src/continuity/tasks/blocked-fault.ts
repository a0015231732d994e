import { Fault } from '../../base/fault.ts';
import { listOpenBlockers } from '../database/queries/dependencies.ts';
import type { Scope } from '../scope.ts';
import type { TaskRow } from './task.ts';

const LISTED_BLOCKERS = 20;

/** The fault of a task that cannot be started or reopened while it has open dependencies. */
export async function blockedFault(scope: Scope, { id, open_dependencies: open }: TaskRow): Promise<Fault> {
  const blockers = await scope.db.all(listOpenBlockers, { task_id: id, limit: LISTED_BLOCKERS });
  const count = open === 1 ? '1 open dependency' : `${open} open dependencies`;
  return new Fault('E_CONFLICT', `The task ${id} has ${count}.`, {
    hint: 'Complete these tasks or remove the dependencies first.',
    details: {
      reason: 'dependencies',
      id,
      open_dependencies: open,
      blockers: blockers.map((blocker) => ({ id: blocker.id, status: blocker.status })),
    },
  });
}
