import { lazy } from '../../base/lazy.ts';
import { parseNetTcp, type TcpSocket } from './net-tcp.ts';
import { parseNetUnix, type UnixSocket } from './net-unix.ts';
import type { ProcReader } from './proc-reader.ts';

const TABLE_BYTES = 32 * 1024 * 1024;

/** The sockets of one network namespace, by inode. */
export interface NetTables {
  readonly tcp: (inode: number) => TcpSocket | undefined;
  readonly unix: (inode: number) => UnixSocket | undefined;
  readonly udp: (inode: number) => TcpSocket | undefined;
  /** Netlink sockets connect to the kernel only. */
  readonly isNetlink: (inode: number) => boolean;
  /** Sockets with a port at either end, listening ones excepted. */
  readonly atPort: (port: number) => readonly TcpSocket[];
  /** The inode at the other end of a local connection. */
  readonly otherEnd: (socket: TcpSocket) => number | undefined;
}

/**
 * Creates a function that reads the socket tables of a process, once per network namespace, and each table when it is first used: the
 * kernel walks all its buckets for a table with few sockets.
 */
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
  const sockets = lazy(() => [...parseNetTcp(text('tcp')), ...parseNetTcp(text('tcp6'))]);
  const byEnds = lazy(
    () => new Map(sockets().map(({ local, remote, inode }) => [`${local} ${remote}`, inode])),
  );
  const tcp = lazy(() => byInode(sockets()));
  const udp = lazy(() => byInode([...parseNetTcp(text('udp')), ...parseNetTcp(text('udp6'))]));
  const unix = lazy(() => byInode(parseNetUnix(text('unix'))));
  const netlink = lazy(() => new Set(parseNetlink(text('netlink'))));
  return {
    tcp: (inode) => tcp().get(inode),
    unix: (inode) => unix().get(inode),
    udp: (inode) => udp().get(inode),
    isNetlink: (inode) => netlink().has(inode),
    atPort: (port) =>
      sockets().filter(
        ({ state, localPort, remotePort }) =>
          state !== 'listening' && (localPort === port || remotePort === port),
      ),
    otherEnd: ({ local, remote }) => byEnds().get(`${remote} ${local}`),
  };
}

function byInode<T extends { readonly inode: number }>(sockets: readonly T[]): ReadonlyMap<number, T> {
  return new Map(sockets.map((socket) => [socket.inode, socket]));
}

/** Returns the inodes in `net/netlink`: the last column. */
function parseNetlink(text: string): number[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => /(\d+)\s*$/u.exec(line)?.[1] ?? [])
    .map(Number);
}
