/** Bounds that hold everywhere; a caller that needs more is told so with a coded fault. */
export const LIMITS = {
  /** One JSON document given through `--input`. */
  inputBytes: 16 * 1024 * 1024,
  /** Levels of arrays and objects in a parameter. */
  inputDepth: 100,
  /** A caller's own id for a write. */
  requestIdCharacters: 200,
  /** Rows on one page. */
  pageSize: 1000,
  defaultPageSize: 50,
  /** Targets of one batch. */
  batchTargets: 10_000,
  /** A configuration or state file of ours. */
  stateFileBytes: 4 * 1024 * 1024,
  /** How long a process waits for another's lock. */
  lockWaitMs: 5000,
  /** The same for the audit log, which every call needs for a moment and nobody holds for long: fifty at once must all get in. */
  auditWaitMs: 30_000,
  /** After this a lock of another container or machine, whose processes cannot be seen, counts as left behind. */
  foreignLockMs: 10 * 60 * 1000,
  /** How long a command may take to unwind after a signal. */
  interruptGraceMs: 3000,
  /** How long what a command left running, a timer or a connection, may keep the process alive after the answer. */
  leftoverGraceMs: 500,
} as const;
