import { ownMember } from '../../base/own-member.ts';

/** One connection or listening socket of `net/tcp` or `net/tcp6`. Addresses are not decoded: they are only compared. */
export interface TcpSocket {
  readonly inode: number;
  readonly state: 'listening' | 'established' | 'time_wait' | 'other';
  readonly local: string;
  readonly remote: string;
  readonly localPort: number;
  readonly remotePort: number;
}

const STATES: Readonly<Record<string, TcpSocket['state']>> = {
  '01': 'established',
  '06': 'time_wait',
  '0A': 'listening',
};

/** Returns whether an address of the table is on the loopback interface; IPv4 addresses are in host byte order. */
export function isLoopbackAddress(address: string): boolean {
  const [host = ''] = address.split(':');
  return (
    /^(?:0{16}FFFF0{4}|0{16}0000FFFF)?[0-9A-F]{6}7F$/u.test(host) ||
    host === '00000000000000000000000001000000'
  );
}

/** Parses `net/tcp` and `net/udp`, which have the same columns. */
export function parseNetTcp(text: string): TcpSocket[] {
  const sockets: TcpSocket[] = [];
  for (const line of text.split('\n')) {
    const match =
      /^\s*\d+: ([0-9A-F]+:([0-9A-F]{4})) ([0-9A-F]+:([0-9A-F]{4})) ([0-9A-F]{2}) \S+ \S+ \S+\s+\d+\s+\d+ (\d+)/u.exec(
        line,
      );
    if (!match) continue;
    const [, local = '', port = '', remote = '', remotePort = '', state = '', inode] = match;
    sockets.push({
      inode: Number(inode),
      state: ownMember(STATES, state) ?? 'other',
      local,
      remote,
      localPort: Number.parseInt(port, 16),
      remotePort: Number.parseInt(remotePort, 16),
    });
  }
  return sockets;
}
