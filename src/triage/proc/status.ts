/** What `<pid>/status` tells and `stat` does not. */
export interface Status {
  readonly uid: number | null;
  /** Voluntary and forced switches together. */
  readonly contextSwitches: number | null;
}

export function parseStatus(text: string): Status {
  const number = (pattern: RegExp): number | null => {
    const match = pattern.exec(text)?.[1];
    return match === undefined ? null : Number(match);
  };
  const voluntary = number(/^voluntary_ctxt_switches:\s+(\d+)/mu);
  const forced = number(/^nonvoluntary_ctxt_switches:\s+(\d+)/mu);
  return {
    // Real, effective, saved, file system: signals are allowed by real and saved ids, and the real one is whose it is.
    uid: number(/^Uid:\s+(\d+)/mu),
    contextSwitches: voluntary === null || forced === null ? null : voluntary + forced,
  };
}
