/** The target of a link in `<pid>/fd`. */
export type Descriptor =
  | { readonly kind: 'pipe' | 'socket'; readonly inode: number }
  | { readonly kind: 'terminal' | 'file'; readonly path: string; readonly deleted: boolean }
  | { readonly kind: 'device'; readonly path: string }
  | { readonly kind: 'null' | 'inotify' | 'other' };

const DELETED = ' (deleted)';

export function parseFdLink(target: string): Descriptor {
  const inode = /^(pipe|socket):\[(\d+)\]$/u.exec(target);
  if (inode) return { kind: inode[1] === 'pipe' ? 'pipe' : 'socket', inode: Number(inode[2]) };
  if (/^(?:anon_inode:)?\[?inotify\]?$/u.test(target)) return { kind: 'inotify' };
  const deleted = target.endsWith(DELETED);
  const path = deleted ? target.slice(0, -DELETED.length) : target;
  if (path === '/dev/null') return { kind: 'null' };
  if (/^\/dev\/(?:pts\/\d+|tty\w*|console)$/u.test(path)) return { kind: 'terminal', path, deleted };
  if (/^\/dev\/(?!shm\/|zero$|full$|u?random$)/u.test(path)) return { kind: 'device', path };
  // Devices and memory files contain no data that could be lost.
  if (!path.startsWith('/') || /^\/(?:dev|proc|sys|memfd:)/u.test(path)) return { kind: 'other' };
  return { kind: 'file', path, deleted };
}
