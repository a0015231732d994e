/** One socket of `net/unix`. */
export interface UnixSocket {
  readonly inode: number;
  /** The path of a bound socket, `@` first for an abstract one; empty for others. */
  readonly path: string;
  readonly state: 'listening' | 'connected' | 'severed' | 'other';
}

/**
 * Parses `net/unix`. A connected socket whose other end was closed keeps its state but loses the reference of its peer: the reference
 * count drops from three to two. /proc shows this nowhere else.
 */
export function parseNetUnix(text: string): UnixSocket[] {
  const sockets: UnixSocket[] = [];
  for (const line of text.split('\n')) {
    const match =
      /^[0-9a-f]+: ([0-9A-F]{8}) [0-9A-F]{8} ([0-9A-F]{8}) ([0-9A-F]{4}) ([0-9A-F]{2})\s+(\d+)(?: (.*))?$/u.exec(
        line,
      );
    if (!match) continue;
    const [, references = '', flags = '', type, state, inode, path = ''] = match;
    const listening = (Number.parseInt(flags, 16) & 0x1_0000) !== 0;
    const connected = state === '03' && type !== '0002';
    const severed = connected && Number.parseInt(references, 16) < 3;
    sockets.push({
      inode: Number(inode),
      path,
      state: listening ? 'listening' : severed ? 'severed' : connected ? 'connected' : 'other',
    });
  }
  return sockets;
}
