/** One connection or listening socket of `net/tcp` or `net/tcp6`. Addresses are not decoded: they are only compared. */
export interface TcpSocket {
  readonly inode: number;
  readonly state: 'listening' | 'established' | 'other';
  readonly local: string;
  readonly remote: string;
  readonly localPort: number;
}

export function parseNetTcp(text: string): TcpSocket[] {
  const sockets: TcpSocket[] = [];
  for (const line of text.split('\n')) {
    const match =
      /^\s*\d+: ([0-9A-F]+:([0-9A-F]{4})) ([0-9A-F]+:[0-9A-F]{4}) ([0-9A-F]{2}) \S+ \S+ \S+\s+\d+\s+\d+ (\d+)/u.exec(
        line,
      );
    if (!match) continue;
    const [, local = '', port = '', remote = '', state, inode] = match;
    sockets.push({
      inode: Number(inode),
      state: state === '0A' ? 'listening' : state === '01' ? 'established' : 'other',
      local,
      remote,
      localPort: Number.parseInt(port, 16),
    });
  }
  return sockets;
}
