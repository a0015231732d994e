import { Fault } from '../../base/fault.ts';
import { listOpenBlockers } from '../database/queries/dependencies.ts';
import { extendClaim } from '../database/queries/tasks.ts';
import { appendEvent } from '../events/event.ts';
import { STORE_LIMITS } from '../store-limits.ts';
import type { Scope } from '../scope.ts';
import { changeTask, noteStatus } from './change-task.ts';
import { heldByAnother, heldFault, requireTask, type TaskRow } from './task.ts';

export interface Claimed {
  readonly row: TaskRow;
  readonly statusEventId: number | undefined;
}

/**
 * Claims a task for the agent: nobody else can until the lease ends or the agent gives it back. A claim is free → held → free; it
 * is held until its lease runs out, and a lease that ran out counts as free at once, though only the next claim writes that down.
 * The transaction holds the right to write while it looks, so of any number of racing callers one wins.
 */
export async function claimTask(
  scope: Scope,
  row: TaskRow,
  { leaseMs = STORE_LIMITS.defaultLeaseMs }: { readonly leaseMs?: number | undefined },
): Promise<Claimed> {
  if (heldByAnother(row, scope.agent, scope.at)) throw heldFault(row);
  if (row.status === 'completed') throw completed(row);
  if (row.open_dependencies > 0) throw await waits(scope, row);
  const previous = row.claimed_by;
  const next = await changeTask(scope, row, {
    status: 'in_progress',
    blocked_reason: null,
    claimed_by: scope.agent,
    claimed_at: scope.at,
    claim_expires_at: leaseEnd(scope, leaseMs),
    claim_lease_ms: leaseMs,
  });
  if (row.status === 'in_progress' && previous !== null && previous !== scope.agent) {
    await appendEvent(scope, {
      kind: 'task_reclaimed',
      message: `${row.id}: the claim of ${previous} ended ${row.claim_expires_at}; ${scope.agent} goes on`,
      projectId: row.project_id,
      taskId: row.id,
      metadata: { previous_agent: previous, expired_at: row.claim_expires_at },
    });
  }
  const statusEventId = row.status === 'in_progress' ? undefined : await noteStatus(scope, next, row.status);
  return { row: next, statusEventId };
}

/** Proves that the agent still works on its task and moves the end of its lease. */
export async function heartbeat(scope: Scope, id: string, leaseMs: number | undefined): Promise<TaskRow> {
  const row = await requireTask(scope.session, id);
  if (heldByAnother(row, scope.agent, scope.at)) throw heldFault(row);
  if (
    row.status !== 'in_progress' ||
    row.claimed_by !== scope.agent ||
    (row.claim_expires_at ?? '') <= scope.at
  ) {
    throw new Fault('E_CONFLICT', `The task ${id} is not claimed by ${scope.agent}.`, {
      hint: 'Claim it with "task begin"; a lease that has ended cannot be renewed.',
      details: { reason: 'not-claimed', id, status: row.status },
    });
  }
  const lease = leaseMs ?? row.claim_lease_ms ?? STORE_LIMITS.defaultLeaseMs;
  return changeTask(scope, row, { claim_expires_at: leaseEnd(scope, lease), claim_lease_ms: lease });
}

/** Moves the end of the agent's own live claim, if it has one: whatever it writes about its task shows that it is alive. */
export async function renewClaim(scope: Scope, row: TaskRow): Promise<void> {
  if (row.claimed_by !== scope.agent) return;
  const expires_at = leaseEnd(scope, row.claim_lease_ms ?? STORE_LIMITS.defaultLeaseMs);
  await scope.session.run(extendClaim, { id: row.id, agent: scope.agent, at: scope.at, expires_at });
}

function leaseEnd(scope: Scope, leaseMs: number): string {
  return new Date(scope.nowMs + leaseMs).toISOString();
}

function completed(row: TaskRow): Fault {
  return new Fault('E_CONFLICT', `The task ${row.id} is completed.`, {
    hint: 'Set its status to pending first if there is more to do.',
    details: { reason: 'completed', id: row.id },
  });
}

async function waits(scope: Scope, row: TaskRow): Promise<Fault> {
  const blockers = await scope.session.all(listOpenBlockers, { task_id: row.id, limit: 20 });
  return new Fault('E_CONFLICT', `The task ${row.id} waits for ${row.open_dependencies} other tasks.`, {
    hint: 'Complete them first, or remove the dependencies.',
    details: {
      reason: 'dependencies',
      id: row.id,
      blockers: blockers.map(({ id, status }) => ({ id, status })),
    },
  });
}
