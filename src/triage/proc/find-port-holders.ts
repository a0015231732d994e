import { parseNetTcp } from './net-tcp.ts';
import type { ProcReader } from './proc-reader.ts';

const TABLE_BYTES = 32 * 1024 * 1024;

/** `sockets`: how many sockets listen on the port. `pids`: the processes that have one of them open, as far as that can be read. */
export interface PortHolders {
  readonly sockets: number;
  readonly pids: readonly number[];
}

/** Finds the processes that listen on a TCP port. Reads the descriptors of other processes only if a socket listens on it. */
export function findPortHolders(reader: ProcReader, port: number): PortHolders {
  const inodes = new Set(
    ['net/tcp', 'net/tcp6']
      .flatMap((path) => parseNetTcp(reader.whole(path, TABLE_BYTES)?.toString('latin1') ?? ''))
      .filter(({ state, localPort }) => state === 'listening' && localPort === port)
      .map(({ inode }) => `socket:[${inode}]`),
  );
  if (inodes.size === 0) return { sockets: 0, pids: [] };
  const holds = (pid: string): boolean =>
    (reader.list(`${pid}/fd`) ?? []).some((fd) => inodes.has(reader.link(`${pid}/fd/${fd}`) ?? ''));
  const pids = (reader.list('') ?? []).filter((name) => /^\d{1,10}$/u.test(name) && holds(name)).map(Number);
  return { sockets: inodes.size, pids };
}
