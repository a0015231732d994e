import { hasEnded, type TreeFacts } from '../features/process-index.ts';

/** A parent with fewer instances of a name has nothing superseded. */
const MINIMUM = 2;
/** How many of a group are read before it is known to be of interest. */
const PROBED = 8;

/**
 * Returns processes of which one parent runs several with the same name, if any of the oldest is of interest by its command. Only then are
 * the commands of all read: a build or a browser can have hundreds of such processes.
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
