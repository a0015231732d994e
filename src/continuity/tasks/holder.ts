import { Fault } from '../../base/fault.ts';
import {
  deleteLostClaim,
  deleteOldLostClaims,
  findLostClaim,
  saveLostClaim,
} from '../database/queries/claims.ts';
import { appendEvent } from '../events/event.ts';
import { isPerson } from '../person.ts';
import type { Scope } from '../scope.ts';
import { claimTime } from '../store-clock.ts';
import { STORE_LIMITS } from '../store-limits.ts';
import type { TaskRow } from './task.ts';

/**
 * Who acts on a task. A caller with a session holds only what this session claimed, and what was claimed without a session under its agent
 * name. A caller without a session acts for its agent name, in all its sessions.
 */
export interface Holder {
  readonly agent: string;
  readonly claimSession: string | null;
}

type Claim = Pick<TaskRow, 'claimed_by' | 'claim_session' | 'claim_expires_at'>;

/** Checks whether a caller holds the claim of a task, active or expired. */
export function isHolder(row: Claim, { agent, claimSession }: Holder): boolean {
  return (
    row.claimed_by === agent &&
    (claimSession === null || row.claim_session === null || row.claim_session === claimSession)
  );
}

export function isClaimActive(row: Claim, at: string): boolean {
  return row.claimed_by !== null && (row.claim_expires_at ?? '') > at;
}

/** Checks whether another holder has an active claim on the task. */
export function isClaimedByOther(row: Claim, holder: Holder, at: string): boolean {
  return isClaimActive(row, at) && !isHolder(row, holder);
}

/**
 * Rejects a change of status, priority, dependencies or existence of a task by a caller that does not hold its active claim, or whose own
 * claim was lost meanwhile. A person may override a claim; this is logged. Events, memories and artifacts are not checked: others may add them.
 */
export async function assertMayChange(scope: Scope, row: TaskRow, change: string): Promise<void> {
  const now = claimTime(scope);
  const isTaken = isClaimedByOther(row, scope, now);
  if (isPerson(scope.agent)) {
    if (isTaken) await logOverride(scope, row, change);
    return;
  }
  if (isClaimActive(row, now) && !isTaken) return;
  const lost = await scope.db.first(findLostClaim, {
    ...claimKey(row, scope),
    since: lostSince(scope),
  });
  if (lost !== undefined) throw lostFault(row, scope, lost);
  if (isTaken) throw claimedFault(row);
}

/** Records that the holder of a claim lost it to the caller, so that its late writes are rejected. */
export async function recordLostClaim(scope: Scope, row: TaskRow): Promise<void> {
  const { db } = scope;
  await db.send(deleteOldLostClaims, { task_id: row.id, before: lostSince(scope) });
  await db.send(saveLostClaim, {
    ...claimKey(row, { agent: row.claimed_by ?? '', claimSession: row.claim_session }),
    number: row.claim_number,
    taken_by: nameHolder({ claimed_by: scope.agent, claim_session: scope.claimSession }),
    at: claimTime(scope),
  });
}

/** A claim that was lost before this time no longer matters. */
function lostSince(scope: Scope): string {
  return new Date(Date.parse(claimTime(scope)) - STORE_LIMITS.lostClaimMs).toISOString();
}

/** Removes the record of a lost claim when its holder claims the task again. */
export async function forgetLostClaim(scope: Scope, row: TaskRow): Promise<void> {
  await scope.db.send(deleteLostClaim, claimKey(row, scope));
}

export async function logOverride(scope: Scope, row: TaskRow, change: string): Promise<void> {
  await appendEvent(scope, {
    kind: 'claim_overridden',
    message: `${row.id}: ${scope.agent} overrode the claim of ${nameHolder(row)}: ${change}`,
    projectId: row.project_id,
    taskId: row.id,
    metadata: {
      holder: row.claimed_by,
      ...(row.claim_session !== null && { session: row.claim_session }),
      claim_number: row.claim_number,
      change,
    },
  });
}

/** The fault for a call on a task that another holder has claimed. */
export function claimedFault(row: TaskRow): Fault {
  return new Fault(
    'E_CONFLICT',
    `The task ${row.id} is claimed by ${nameHolder(row)} until ${row.claim_expires_at}.`,
    {
      hint: 'Choose another task ("task take"), or wait until the claim expires. A person can override it.',
      details: {
        reason: 'claimed',
        id: row.id,
        owner: row.claimed_by,
        ...(row.claim_session !== null && { session: row.claim_session }),
        claim_number: row.claim_number,
        claim_expires_at: row.claim_expires_at,
      },
    },
  );
}

export function nameHolder({
  claimed_by,
  claim_session,
}: Pick<TaskRow, 'claimed_by' | 'claim_session'>): string {
  return claim_session === null ? `${claimed_by}` : `${claimed_by} (session ${claim_session})`;
}

function claimKey(row: TaskRow, { agent, claimSession }: Holder) {
  return { task_id: row.id, agent, session: claimSession ?? '' };
}

function lostFault(
  row: TaskRow,
  { agent }: Holder,
  lost: { readonly number: number; readonly taken_by: string; readonly lost_at: string },
): Fault {
  return new Fault(
    'E_CONFLICT',
    `Claim ${lost.number} of ${agent} on the task ${row.id} was lost to ${lost.taken_by} at ${lost.lost_at}; its claim number is now ${row.claim_number}.`,
    {
      hint: 'Do not repeat this write. Read the task; to continue it, claim it again with "task begin".',
      details: {
        reason: 'claim-lost',
        id: row.id,
        owner: row.claimed_by,
        taken_by: lost.taken_by,
        claim_number: row.claim_number,
        lost_claim_number: lost.number,
      },
    },
  );
}
