import type { OpenWrite, ProcessFacts } from '../snapshot.ts';

/**
 * The files that a process itself wrote to over the window. An offset belongs to everybody who inherited the descriptor: a log that an
 * orphan has in common with whoever started it grows by the other one's hand. Who used no time, moved no byte and never woke wrote nothing.
 */
export function ownWrites(process: ProcessFacts): readonly OpenWrite[] {
  const { deep } = process;
  if (deep === null || wasStill(process)) return [];
  return deep.writes.filter(({ moved }) => moved === true);
}

function wasStill({ cpuTicksDelta, deep }: ProcessFacts): boolean {
  return cpuTicksDelta === 0 && deep?.ioBytesDelta === 0 && deep.contextSwitchesDelta === 0;
}
