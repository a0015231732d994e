/** The columns of a task without a claim. */
export const RELEASED = {
  claimed_by: null,
  claimed_at: null,
  claim_expires_at: null,
  claim_lease_ms: null,
  claim_session: null,
} as const;

/** The columns of a task that was never claimed. */
export const NEVER_CLAIMED = { ...RELEASED, claim_number: 0, attempts: 0, retry_at: null } as const;

/** The columns that describe the progress of a task. */
export const PROGRESS_COLUMNS = [
  'status',
  'priority',
  'blocked_reason',
  'claimed_by',
  'claimed_at',
  'claim_expires_at',
  'claim_lease_ms',
  'claim_session',
  'claim_number',
  'attempts',
  'retry_at',
] as const;
