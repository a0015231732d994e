/** Bounds of the work part; whoever needs more is told so. */
export const WORK_LIMITS = {
  /** A plan file. */
  planBytes: 4 * 1024 * 1024,
  items: 1000,
  nameCharacters: 100,
  textCharacters: 100_000,
  pathCharacters: 4096,
  /** What is kept of each output of an agent and of its tests; the rest is counted and dropped. */
  outputBytes: 4 * 1024 * 1024,
  /** How much of the tests' output a result carries; the log has more. */
  resultOutputCharacters: 16_384,
  /** One line of an event stream; a longer one is no event. */
  eventBytes: 1024 * 1024,
  /** What is kept of one input or output of a tool. */
  traceCharacters: 4096,
  /** What a run may write before it is stopped. */
  diskBytes: 2 * 1024 * 1024 * 1024,
  /** How often the guard looks at the disk and at reported events. */
  guardEveryMs: 200,
  /** How long an agent may take to end after it was asked to. */
  graceMs: 1500,
  testTimeoutMs: 600_000,
  /** What is kept of what an agent heard; a run with more has no recording. */
  recordingBytes: 32 * 1024 * 1024,
  jobs: 64,
} as const;
