import type { OpenWrite, ProcessFacts, Snapshot } from '../process-snapshot.ts';

/** Half a second is no time for work that writes a line a minute; what was written within this is still being written. */
const LATELY_MS = 10 * 60_000;

/**
 * The files that a process itself writes to: over the window, or lately. An offset belongs to everybody who inherited the descriptor: a log that
 * an orphan has in common with whoever started it grows by the other one's hand. Who used no time, moved no byte and never woke wrote nothing.
 */
export function ownWrites(
  process: ProcessFacts,
  { takenAtMs }: Pick<Snapshot, 'takenAtMs'>,
): readonly OpenWrite[] {
  const { deep } = process;
  if (deep === null) return [];
  const still = wasStill(process);
  return deep.writes.filter(({ moved, writtenAtMs }) =>
    // One that grew while this process was still is being written by somebody else.
    moved === true ? !still : writtenAtMs !== undefined && takenAtMs - writtenAtMs < LATELY_MS,
  );
}

function wasStill({ cpuTicksDelta, deep }: ProcessFacts): boolean {
  return cpuTicksDelta === 0 && deep?.ioBytesDelta === 0 && deep.contextSwitchesDelta === 0;
}
