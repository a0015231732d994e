import { hasEnded, type TreeFacts } from '../features/process-index.ts';

/** A group with fewer processes contains no superseded instance. */
const MINIMUM = 2;
/** The number of processes of a group whose commands are checked. */
const PROBED = 8;

/**
 * Finds processes with the same parent and the same name, and returns the groups in which one of the oldest processes has a command of
 * interest. The commands of whole groups are read only then: a build or a browser can have hundreds of such processes.
 */
export function findSiblings(
  processes: readonly TreeFacts[],
  isOfInterest: (pid: number) => boolean,
): readonly number[] {
  const groups = new Map<string, TreeFacts[]>();
  for (const process of processes) {
    if (process.kernel || process.ppid <= 1 || hasEnded(process)) continue;
    const key = `${process.ppid} ${process.comm}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [process]);
    else known.push(process);
  }
  return [...groups.values()].flatMap((group) =>
    group.length >= MINIMUM && group.slice(0, PROBED).some(({ pid }) => isOfInterest(pid))
      ? group.map(({ pid }) => pid)
      : [],
  );
}
