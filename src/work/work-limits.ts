/** Limits of the work part. */
export const WORK_LIMITS = {
  /** A plan file. */
  planBytes: 4 * 1024 * 1024,
  items: 1000,
  nameCharacters: 100,
  textCharacters: 100_000,
  pathCharacters: 4096,
  /** The maximum stored output of an agent or its tests; the rest is counted and dropped. */
  outputBytes: 4 * 1024 * 1024,
  /** The maximum test output in a result; the log has more. */
  resultOutputCharacters: 16_384,
  /** The last lines of an agent's output that a failure reports. */
  tailLines: 20,
  /** One line of an event stream; longer lines are ignored. */
  eventBytes: 1024 * 1024,
  /** The maximum stored size of one tool input or output. */
  traceCharacters: 4096,
  /** The maximum number of bytes that a run may write. */
  diskBytes: 2 * 1024 * 1024 * 1024,
  /** The interval at which the guard checks the disk and reported events. */
  watchEveryMs: 200,
  /** How long an agent may take to exit after it was asked to. */
  graceMs: 1500,
  testTimeoutMs: 600_000,
  /** The maximum size of the changes that are kept of a run that was not promoted. */
  keptChangesBytes: 64 * 1024 * 1024,
  /** The maximum size of a diff; larger ones are cut. */
  diffBytes: 4 * 1024 * 1024,
  /** The maximum size of a file in a diff; larger ones are listed without their lines. */
  diffFileBytes: 2 * 1024 * 1024,
  /** The maximum size of a recording; a run with a larger one has none. */
  recordingBytes: 32 * 1024 * 1024,
  jobs: 64,
  /** The entries of a list of patterns or variables of an item. */
  listed: 100,
  patternCharacters: 1000,
  services: 8,
  retries: 10,
  /** How long a service may take until it is ready, unless it says otherwise. */
  readyMs: 30_000,
  /** The ports of a workspace, from DEED_PORT. */
  ports: 10,
  /** A changed file that is larger has no lines that could be counted or checked. */
  lineBytes: 16 * 1024 * 1024,
} as const;
