/** What `<pid>/status` tells and `stat` does not. */
export interface Status {
  readonly uid: number | null;
  /** Times it went to sleep of its own accord; a process that spins never does. */
  readonly contextSwitches: number | null;
}

export function parseStatus(text: string): Status {
  const number = (pattern: RegExp): number | null => {
    const match = pattern.exec(text)?.[1];
    return match === undefined ? null : Number(match);
  };
  return {
    // Real, effective, saved, file system: signals are allowed by real and saved ids, and the real one is whose it is.
    uid: number(/^Uid:\s+(\d+)/mu),
    contextSwitches: number(/^voluntary_ctxt_switches:\s+(\d+)/mu),
  };
}
