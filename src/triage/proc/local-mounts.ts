import type { ProcReader } from './proc-reader.ts';

/** Local filesystems. A stat on an unreachable network filesystem would block. */
const LOCAL = /^(?:ext[234]|xfs|btrfs|zfs|f2fs|bcachefs|jfs|reiserfs|tmpfs|ramfs|overlay|vfat|exfat|ntfs3)$/u;
const MOUNTINFO_BYTES = 4 * 1024 * 1024;

/** Creates a function that returns whether a mount id of `fdinfo` is on a local filesystem. The mount table is read on first use. */
export function createIsLocal(reader: ProcReader): (mountId: number) => boolean {
  let known: ReadonlySet<number> | undefined;
  return (mountId) => {
    known ??= parseLocalMounts((reader.whole('self/mountinfo', MOUNTINFO_BYTES) ?? '').toString());
    return known.has(mountId);
  };
}

export function parseLocalMounts(text: string): ReadonlySet<number> {
  const local = new Set<number>();
  for (const line of text.split('\n')) {
    const [id] = line.split(' ', 1);
    const type = / - (\S+) /u.exec(line)?.[1];
    if (type !== undefined && LOCAL.test(type)) local.add(Number(id));
  }
  return local;
}
