import type { OpenWrite, ProcessFacts, ProcessSnapshot } from '../process-snapshot.ts';

/** A file written within this time counts as being written: the sampling window is too short for a process that writes once a minute. */
const RECENT_MS = 10 * 60_000;

/**
 * Returns the files that a process itself writes to: over the window, or recently. Processes that inherit a descriptor share its offset, so
 * the offset also changes when another process writes. A process without CPU time, I/O and context switches wrote nothing.
 */
export function ownWrites(
  process: ProcessFacts,
  { takenAtMs }: Pick<ProcessSnapshot, 'takenAtMs'>,
): readonly OpenWrite[] {
  const { deep } = process;
  if (deep === null) return [];
  const inactive = wasInactive(process);
  return deep.writes.filter(({ moved, writtenAtMs }) =>
    // The offset of an inactive process changed because another process wrote.
    moved === true ? !inactive : writtenAtMs !== undefined && takenAtMs - writtenAtMs < RECENT_MS,
  );
}

function wasInactive({ cpuTicksDelta, deep }: ProcessFacts): boolean {
  return cpuTicksDelta === 0 && deep?.ioBytesDelta === 0 && deep.contextSwitchesDelta === 0;
}
