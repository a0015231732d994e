import { parseFdLink } from './fd-link.ts';
import { parseFdinfo } from './fdinfo.ts';
import type { Inspection } from './inspect-process.ts';
import type { ProcReader } from './proc-reader.ts';

export interface PipeHolder {
  readonly pid: number;
  readonly reads: boolean;
  readonly writes: boolean;
}

/** Who holds the pipes that are standard streams. */
export interface PipeHolders {
  readonly byInode: ReadonlyMap<number, readonly PipeHolder[]>;
  /** Whether the descriptors of some process could not be read: a pipe without another holder may still be open there. */
  readonly isPartial: boolean;
}

/**
 * Finds the processes at the other ends of pipes that are standard streams. /proc has no link from a pipe to its ends, so the descriptors
 * of all processes are listed. This is by far the most expensive step, so it is skipped unless a process needs it.
 */
export function findPipeHolders(
  reader: ProcReader,
  inspections: ReadonlyMap<number, Inspection>,
  others: readonly number[],
  needsPipes: (pid: number) => boolean,
): PipeHolders {
  const holders = new Map<number, PipeHolder[]>();
  for (const inspection of inspections.values()) {
    if (!needsPipes(inspection.pid)) continue;
    for (const inode of unknownPipes(inspection)) holders.set(inode, []);
  }
  if (holders.size === 0) return { byInode: holders, isPartial: false };
  const add = (pid: number, fd: number | string, inode: number): void => {
    const known = holders.get(inode);
    if (known === undefined) return;
    const info = parseFdinfo(reader.head(`${pid}/fdinfo/${fd}`) ?? '');
    if (info !== undefined) known.push({ pid, reads: info.reads, writes: info.writes });
  };
  for (const { pid, descriptors } of inspections.values()) {
    for (const [fd, descriptor] of descriptors)
      if (descriptor.kind === 'pipe') add(pid, fd, descriptor.inode);
  }
  let isPartial = [...inspections.values()].some(({ descriptorsReadable }) => !descriptorsReadable);
  for (const pid of others) {
    const descriptors = reader.list(`${pid}/fd`);
    // A process that has exited meanwhile holds nothing.
    if (descriptors === undefined && reader.head(`${pid}/stat`) !== undefined) isPartial = true;
    for (const fd of descriptors ?? []) {
      const target = reader.link(`${pid}/fd/${fd}`);
      if (target === undefined || !target.startsWith('pipe:')) continue;
      const descriptor = parseFdLink(target);
      if (descriptor.kind === 'pipe') add(pid, fd, descriptor.inode);
    }
  }
  return { byInode: holders, isPartial };
}

/** Without a reader of stdout, the other ends do not matter. */
function unknownPipes({ descriptors, unread }: Inspection): number[] {
  if (unread.has(1)) return [];
  return [0, 1, 2].flatMap((fd) => {
    const descriptor = descriptors.get(fd);
    return descriptor?.kind === 'pipe' && !unread.has(fd) ? [descriptor.inode] : [];
  });
}
