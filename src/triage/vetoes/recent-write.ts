import { describeSpan, hasMarkOfDeed, MINUTE_MS, type FindVeto, type VetoFacts } from './veto.ts';

/**
 * A file open for writing that changed recently. Standard streams count too. A marked process inherits its
 * standard streams from the run or agent that has just ended, which may have written to them itself, so its streams count only if they
 * change during the window.
 */
export const recentWriteVeto: FindVeto = (facts) => {
  const { deep, snapshot, parameters } = facts;
  const windowMs = parameters.vetoes.recentWriteMinutes * MINUTE_MS;
  for (const { fd, path, moved, changedAtMs } of deep.writes) {
    if (moved === true && !isInactive(facts)) return `it is writing to ${path}`;
    if (fd <= 2 && hasMarkOfDeed(facts)) continue;
    if (changedAtMs === null || changedAtMs === undefined)
      return `it has ${path} open for writing, and when that changed is unknown`;
    const agoMs = Math.max(0, snapshot.takenAtMs - changedAtMs);
    if (agoMs < windowMs) return `it has ${path} open for writing, which changed ${describeSpan(agoMs)} ago`;
  }
  return undefined;
};

/** Processes that inherit a descriptor share its offset; one without CPU time, I/O and context switches wrote nothing. */
function isInactive({ process, deep }: VetoFacts): boolean {
  return process.cpuTicksDelta === 0 && deep.ioBytesDelta === 0 && deep.contextSwitchesDelta === 0;
}
