/** Limits that apply everywhere; exceeding one is a fault with a code. */
export const LIMITS = {
  /** One JSON document passed through `--input`. */
  inputBytes: 16 * 1024 * 1024,
  /** Levels of arrays and objects in a parameter. */
  inputDepth: 100,
  /** A caller's own id for a write. */
  requestIdCharacters: 200,
  /** Rows on one page. */
  pageSize: 1000,
  defaultPageSize: 50,
  /** Warnings of one call in its audit line; a server that runs for months may print more. */
  recordedWarnings: 20,
  /** Targets of one batch. */
  batchTargets: 10_000,
  /** A configuration or state file. */
  stateFileBytes: 4 * 1024 * 1024,
  /** How long a process waits for a lock. */
  lockWaitMs: 5000,
  /** After this a lock of another container or machine, whose processes are not visible, counts as stale. */
  foreignLockMs: 10 * 60 * 1000,
  /** How long a call waits for the lock of the audit log, which every call holds briefly: fifty concurrent calls must all succeed. */
  auditWaitMs: 30_000,
  /** How long a process waits for a lock whose holder is stopped. */
  stoppedHolderMs: 500,
  /** How long a command may take to unwind after a signal. */
  interruptGraceMs: 3000,
  /** How long open timers and connections of a command may keep the process alive after the answer. */
  leftoverGraceMs: 500,
} as const;
