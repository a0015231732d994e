import { readFileSync, statSync } from 'node:fs';

/** Finds a process that holds a write lock of the kernel on one of these files; undefined if no such process is visible. */
export function findLockHolder(paths: readonly string[]): number | undefined {
  const inodes = new Set(
    paths.flatMap((path) => statSync(path, { throwIfNoEntry: false })?.ino.toString() ?? []),
  );
  for (const line of readLocks().split('\n')) {
    // "3: POSIX  ADVISORY  WRITE 1234 fe:00:5678 120 120"; a waiting process has "->" before the kind.
    const [, kind, , mode, pid, file] = line.trim().split(/\s+/u);
    const inode = file?.split(':').at(-1) ?? '';
    if (kind === 'POSIX' && mode === 'WRITE' && inodes.has(inode) && Number(pid) > 0) return Number(pid);
  }
  return undefined;
}

function readLocks(): string {
  try {
    return readFileSync('/proc/locks', 'utf8');
  } catch {
    return '';
  }
}
