/** The fields of `<pid>/status` that `stat` does not have. */
export interface Status {
  readonly uid: number | null;
  /** Voluntary context switches; a spinning process has none. */
  readonly contextSwitches: number | null;
  readonly tracer: number;
  readonly ignoresHangup: boolean;
}

export function parseStatus(text: string): Status {
  const number = (pattern: RegExp): number | null => {
    const match = pattern.exec(text)?.[1];
    return match === undefined ? null : Number(match);
  };
  return {
    // The line has the real, effective, saved and filesystem uid. The real uid is the owner.
    uid: number(/^Uid:\s+(\d+)/mu),
    contextSwitches: number(/^voluntary_ctxt_switches:\s+(\d+)/mu),
    tracer: number(/^TracerPid:\s+(\d+)/mu) ?? 0,
    // The lowest bit of the mask is SIGHUP.
    ignoresHangup: /[13579bdf]$/u.test(/^SigIgn:\s+([0-9a-f]+)/mu.exec(text)?.[1] ?? ''),
  };
}
