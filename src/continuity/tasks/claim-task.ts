import { Fault } from '../../base/fault.ts';
import { blockedFault } from './blocked-fault.ts';
import { extendClaim } from '../database/queries/tasks.ts';
import { appendEvent } from '../events/event.ts';
import { isPerson } from '../person.ts';
import { STORE_LIMITS } from '../store-limits.ts';
import type { Scope } from '../scope.ts';
import { claimTime } from '../store-clock.ts';
import { changeTask, logStatusChange } from './change-task.ts';
import {
  claimedFault,
  forgetLostClaim,
  isClaimActive,
  isClaimedByOther,
  isHolder,
  logOverride,
  nameHolder,
} from './holder.ts';
import { requireTask, type TaskRow } from './task.ts';

export interface ClaimResult {
  readonly row: TaskRow;
  readonly statusEventId: string | undefined;
}

/**
 * Claims a task for the caller. No other holder can claim it until the lease expires or the claim is released. An expired lease counts
 * as released immediately, but is only recorded by the next claim. The transaction holds the write lock while it checks, so exactly
 * one of several concurrent callers succeeds. Each new claim has a higher number; renewing one's own keeps it.
 */
export async function claimTask(
  scope: Scope,
  row: TaskRow,
  { leaseMs = STORE_LIMITS.defaultLeaseMs }: { readonly leaseMs?: number | undefined },
): Promise<ClaimResult> {
  const now = claimTime(scope);
  const isTaken = isClaimedByOther(row, scope, now);
  if (isTaken && !isPerson(scope.agent)) throw claimedFault(row);
  if (row.status === 'completed') throw completedFault(row);
  if (row.open_dependencies > 0) throw await blockedFault(scope, row);
  const isRenewal = isClaimActive(row, now) && !isTaken;
  if (isTaken) await logOverride(scope, row, 'claim the task');
  await forgetLostClaim(scope, row);
  const next = await changeTask(scope, row, {
    status: 'in_progress',
    blocked_reason: null,
    retry_at: null,
    claimed_by: scope.agent,
    claimed_at: scope.at,
    claim_expires_at: leaseEnd(scope, leaseMs),
    claim_lease_ms: leaseMs,
    // A call without a session continues the claim of a session of its agent.
    claim_session: scope.claimSession ?? (isRenewal ? row.claim_session : null),
    claim_number: isRenewal ? row.claim_number : row.claim_number + 1,
  });
  if (row.status === 'in_progress' && !isTaken && row.claimed_by !== null && !isHolder(row, scope))
    await logTakeover(scope, row);
  const statusEventId =
    row.status === 'in_progress' ? undefined : await logStatusChange(scope, next, row.status);
  return { row: next, statusEventId };
}

/** Renews the lease of the caller on its task. */
export async function heartbeat(scope: Scope, id: string, leaseMs: number | undefined): Promise<TaskRow> {
  const row = await requireTask(scope.db, id);
  const now = claimTime(scope);
  if (isClaimedByOther(row, scope, now)) throw claimedFault(row);
  if (row.status !== 'in_progress' || !isClaimActive(row, now)) {
    throw new Fault('E_CONFLICT', `The task ${id} is not claimed by ${scope.agent}.`, {
      hint: 'Claim it with "task begin". An expired lease cannot be renewed.',
      details: { reason: 'not-claimed', id, status: row.status },
    });
  }
  const lease = leaseMs ?? row.claim_lease_ms ?? STORE_LIMITS.defaultLeaseMs;
  return changeTask(scope, row, { claim_expires_at: leaseEnd(scope, lease), claim_lease_ms: lease });
}

/** Extends the active claim of the caller, if it has one; every write about a task counts as a heartbeat. */
export async function renewClaim(scope: Scope, row: TaskRow): Promise<void> {
  if (!isHolder(row, scope)) return;
  const expires_at = leaseEnd(scope, row.claim_lease_ms ?? STORE_LIMITS.defaultLeaseMs);
  await scope.db.send(extendClaim, { id: row.id, number: row.claim_number, at: scope.at, expires_at });
}

async function logTakeover(scope: Scope, row: TaskRow): Promise<void> {
  await appendEvent(scope, {
    kind: 'task_reclaimed',
    message: `${row.id}: the claim of ${nameHolder(row)} expired at ${row.claim_expires_at}; ${scope.agent} took over the task`,
    projectId: row.project_id,
    taskId: row.id,
    metadata: {
      previous_agent: row.claimed_by,
      ...(row.claim_session !== null && { previous_session: row.claim_session }),
      claim_number: row.claim_number,
      expired_at: row.claim_expires_at,
    },
  });
}

function leaseEnd(scope: Scope, leaseMs: number): string {
  return new Date(Date.parse(claimTime(scope)) + leaseMs).toISOString();
}

function completedFault(row: TaskRow): Fault {
  return new Fault('E_CONFLICT', `The task ${row.id} is completed.`, {
    hint: 'To reopen it, set its status to pending.',
    details: { reason: 'completed', id: row.id },
  });
}
