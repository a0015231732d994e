import { parseNetTcp, type TcpSocket } from './net-tcp.ts';
import { parseNetUnix, type UnixSocket } from './net-unix.ts';
import type { ProcReader } from './proc-reader.ts';

const TABLE_BYTES = 32 * 1024 * 1024;

/** The sockets of one network namespace, by inode. */
export interface NetTables {
  readonly tcp: ReadonlyMap<number, TcpSocket>;
  readonly unix: ReadonlyMap<number, UnixSocket>;
  readonly udp: ReadonlyMap<number, TcpSocket>;
  /** Inodes of netlink sockets, which connect to the kernel only. */
  readonly netlink: ReadonlySet<number>;
  /** Sockets with a port at either end, listening ones excepted. */
  readonly atPort: (port: number) => readonly TcpSocket[];
  /** The inode at the other end of a local connection. */
  readonly otherEnd: (socket: TcpSocket) => number | undefined;
}

/** Creates a function that reads the socket tables of a process, once per network namespace. */
export function createNetTables(reader: ProcReader): (pid: number) => NetTables {
  const known = new Map<string, NetTables>();
  return (pid) => {
    const namespace = reader.link(`${pid}/ns/net`) ?? '';
    let tables = known.get(namespace);
    if (tables === undefined) {
      tables = readTables(reader, namespace === '' ? 'net' : `${pid}/net`);
      known.set(namespace, tables);
    }
    return tables;
  };
}

function readTables(reader: ProcReader, folder: string): NetTables {
  const text = (name: string): string =>
    reader.whole(`${folder}/${name}`, TABLE_BYTES)?.toString('latin1') ?? '';
  const tcp = [...parseNetTcp(text('tcp')), ...parseNetTcp(text('tcp6'))];
  const byEnds = new Map(tcp.map(({ local, remote, inode }) => [`${local} ${remote}`, inode]));
  const udp = [...parseNetTcp(text('udp')), ...parseNetTcp(text('udp6'))];
  return {
    udp: new Map(udp.map((socket) => [socket.inode, socket])),
    netlink: new Set(parseNetlink(text('netlink'))),
    atPort: (port) =>
      tcp.filter(
        ({ state, localPort, remotePort }) =>
          state !== 'listening' && (localPort === port || remotePort === port),
      ),
    tcp: new Map(tcp.map((socket) => [socket.inode, socket])),
    unix: new Map(parseNetUnix(text('unix')).map((socket) => [socket.inode, socket])),
    otherEnd: ({ local, remote }) => byEnds.get(`${remote} ${local}`),
  };
}

/** Returns the inodes in `net/netlink`: the last column. */
function parseNetlink(text: string): number[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => /(\d+)\s*$/u.exec(line)?.[1] ?? [])
    .map(Number);
}
