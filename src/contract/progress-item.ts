/** The state of one item of long work, shown as one line that changes. */
export interface ProgressItem {
  readonly id: string;
  readonly status: string;
  readonly startedMs: number;
  /** Set when the item has ended. */
  readonly endedMs?: number | undefined;
  /** What it has used of its limits. */
  readonly budget?: string | undefined;
  /** The latest line of its output. */
  readonly note?: string | undefined;
}
