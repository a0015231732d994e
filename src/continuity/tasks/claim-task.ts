import { Fault } from '../../base/fault.ts';
import { listOpenBlockers } from '../database/queries/dependencies.ts';
import { extendClaim } from '../database/queries/tasks.ts';
import { appendEvent } from '../events/event.ts';
import { STORE_LIMITS } from '../store-limits.ts';
import type { Scope } from '../scope.ts';
import { changeTask, logStatusChange } from './change-task.ts';
import { isClaimedByOther, claimedFault, requireTask, type TaskRow } from './task.ts';

export interface ClaimResult {
  readonly row: TaskRow;
  readonly statusEventId: string | undefined;
}

/**
 * Claims a task for the agent. No other agent can claim it until the lease expires or the agent releases it. An expired lease counts
 * as released immediately, but is only recorded by the next claim. The transaction holds the write lock while it checks, so exactly
 * one of several concurrent callers succeeds.
 */
export async function claimTask(
  scope: Scope,
  row: TaskRow,
  { leaseMs = STORE_LIMITS.defaultLeaseMs }: { readonly leaseMs?: number | undefined },
): Promise<ClaimResult> {
  if (isClaimedByOther(row, scope.agent, scope.at)) throw claimedFault(row);
  if (row.status === 'completed') throw completedFault(row);
  if (row.open_dependencies > 0) throw await blockedFault(scope, row);
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
      message: `${row.id}: the claim of ${previous} expired at ${row.claim_expires_at}; ${scope.agent} took over the task`,
      projectId: row.project_id,
      taskId: row.id,
      metadata: { previous_agent: previous, expired_at: row.claim_expires_at },
    });
  }
  const statusEventId =
    row.status === 'in_progress' ? undefined : await logStatusChange(scope, next, row.status);
  return { row: next, statusEventId };
}

/** Renews the lease of the agent on its task. */
export async function heartbeat(scope: Scope, id: string, leaseMs: number | undefined): Promise<TaskRow> {
  const row = await requireTask(scope.session, id);
  if (isClaimedByOther(row, scope.agent, scope.at)) throw claimedFault(row);
  if (
    row.status !== 'in_progress' ||
    row.claimed_by !== scope.agent ||
    (row.claim_expires_at ?? '') <= scope.at
  ) {
    throw new Fault('E_CONFLICT', `The task ${id} is not claimed by ${scope.agent}.`, {
      hint: 'Claim it with "task begin". An expired lease cannot be renewed.',
      details: { reason: 'not-claimed', id, status: row.status },
    });
  }
  const lease = leaseMs ?? row.claim_lease_ms ?? STORE_LIMITS.defaultLeaseMs;
  return changeTask(scope, row, { claim_expires_at: leaseEnd(scope, lease), claim_lease_ms: lease });
}

/** Extends the active claim of the agent, if it has one; every write about a task counts as a heartbeat. */
export async function renewClaim(scope: Scope, row: TaskRow): Promise<void> {
  if (row.claimed_by !== scope.agent) return;
  const expires_at = leaseEnd(scope, row.claim_lease_ms ?? STORE_LIMITS.defaultLeaseMs);
  await scope.session.run(extendClaim, { id: row.id, agent: scope.agent, at: scope.at, expires_at });
}

function leaseEnd(scope: Scope, leaseMs: number): string {
  return new Date(scope.nowMs + leaseMs).toISOString();
}

function completedFault(row: TaskRow): Fault {
  return new Fault('E_CONFLICT', `The task ${row.id} is completed.`, {
    hint: 'To reopen it, set its status to pending.',
    details: { reason: 'completed', id: row.id },
  });
}

async function blockedFault(scope: Scope, row: TaskRow): Promise<Fault> {
  const blockers = await scope.session.all(listOpenBlockers, { task_id: row.id, limit: 20 });
  return new Fault('E_CONFLICT', `The task ${row.id} is blocked by ${row.open_dependencies} other tasks.`, {
    hint: 'Complete these tasks or remove the dependencies first.',
    details: {
      reason: 'dependencies',
      id: row.id,
      blockers: blockers.map(({ id, status }) => ({ id, status })),
    },
  });
}
