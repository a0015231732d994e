import type { ProcReader } from './proc-reader.ts';

/** Filesystems that answer at once. To ask a server that is gone about a file would hang whoever asks, which a look at a sick machine must not. */
const LOCAL = /^(?:ext[234]|xfs|btrfs|zfs|f2fs|bcachefs|jfs|reiserfs|tmpfs|ramfs|overlay|vfat|exfat|ntfs3)$/u;
const MOUNTINFO_BYTES = 4 * 1024 * 1024;

/** Prepares the question whether a mount, by its number in `fdinfo`, is of this machine. Read when it is first asked. */
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
