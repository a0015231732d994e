import type { DeepFacts, StandardStream } from '../process-snapshot.ts';
import type { Descriptor } from './fd-link.ts';
import type { Inspection } from './inspect-process.ts';
import type { NetTables } from './net-tables.ts';
import type { PipeHolder } from './pipe-holders.ts';

export interface Surroundings {
  readonly inspections: ReadonlyMap<number, Inspection>;
  readonly pipes: ReadonlyMap<number, readonly PipeHolder[]>;
  /** Which inspected processes hold a socket, by inode. */
  readonly socketHolders: ReadonlyMap<number, readonly number[]>;
  readonly netTables: (pid: number) => NetTables;
  /** Whether two processes stand and fall together. */
  readonly sameFamily: (left: number, right: number) => boolean;
}

/** Joins what a process's own folder tells with what its surroundings tell: who is at the other end of its streams and sockets. */
export function joinPeers(inspection: Inspection, surroundings: Surroundings): DeepFacts {
  const { pid, uid: _uid, descriptors, descriptorCount, unread, environment, ...own } = inspection;
  const stream = (fd: number): StandardStream =>
    unread.has(fd)
      ? { kind: 'pipe', peer: 'gone', peers: [] }
      : describeStream(pid, fd, descriptors.get(fd), own.descriptorsReadable, surroundings);
  return {
    ...own,
    stdio: [stream(0), stream(1), stream(2)],
    openFiles: descriptorCount,
    ...countSockets(inspection, surroundings),
    runId: environment['DEED_RUN_ID'] ?? null,
    environment,
  };
}

function describeStream(
  pid: number,
  fd: number,
  descriptor: Descriptor | undefined,
  readable: boolean,
  surroundings: Surroundings,
): StandardStream {
  if (!readable) return { kind: 'unknown', peer: 'unknown', peers: [] };
  if (descriptor === undefined) return { kind: 'closed', peer: 'none', peers: [] };
  switch (descriptor.kind) {
    case 'pipe': {
      const holders = surroundings.pipes.get(descriptor.inode);
      if (holders === undefined) return { kind: 'pipe', peer: 'unknown', peers: [] };
      const peers = holders
        .filter((holder) => holder.pid !== pid && (fd === 0 ? holder.writes : holder.reads))
        .map((holder) => holder.pid);
      return { kind: 'pipe', peer: peers.length > 0 ? 'alive' : 'gone', peers: [...new Set(peers)] };
    }
    case 'socket':
      return describeSocket(pid, descriptor.inode, surroundings);
    case 'terminal':
      return { kind: 'terminal', peer: descriptor.deleted ? 'gone' : 'alive', peers: [] };
    case 'null':
    case 'file':
    case 'other':
      return { kind: descriptor.kind, peer: 'none', peers: [] };
  }
}

function describeSocket(pid: number, inode: number, surroundings: Surroundings): StandardStream {
  const tables = surroundings.netTables(pid);
  const unix = tables.unix.get(inode)?.state;
  const tcp = tables.tcp.get(inode)?.state;
  if (unix === undefined && tcp === undefined) return { kind: 'socket', peer: 'unknown', peers: [] };
  if (unix === 'severed' || tcp === 'other') return { kind: 'socket', peer: 'gone', peers: [] };
  if (unix !== 'connected')
    return { kind: 'socket', peer: tcp === 'established' ? 'alive' : 'none', peers: [] };
  return {
    kind: 'socket',
    peer: 'alive',
    peers: pairHolders(inode, surroundings).filter((peer) => peer !== pid),
  };
}

/** The two ends of a socket pair are made one after the other, so their numbers are neighbours; /proc links them by nothing else. */
function pairHolders(inode: number, { socketHolders }: Surroundings): number[] {
  return [...(socketHolders.get(inode - 1) ?? []), ...(socketHolders.get(inode + 1) ?? [])];
}

function countSockets(
  { pid, descriptors }: Inspection,
  surroundings: Surroundings,
): Pick<DeepFacts, 'listeningPorts' | 'connections' | 'served'> {
  const inodes = new Set<number>();
  for (const [fd, descriptor] of descriptors)
    if (fd > 2 && descriptor.kind === 'socket') inodes.add(descriptor.inode);
  if (inodes.size === 0) return { listeningPorts: [], connections: 0, served: 0 };
  const tables = surroundings.netTables(pid);
  const isOwn = (peers: readonly number[]): boolean =>
    peers.length > 0 && peers.every((peer) => surroundings.sameFamily(pid, peer));
  const ports = new Set<number>();
  for (const inode of inodes) {
    const tcp = tables.tcp.get(inode);
    if (tcp?.state === 'listening') ports.add(tcp.localPort);
  }
  let connections = 0;
  let served = 0;
  for (const inode of inodes) {
    const tcp = tables.tcp.get(inode);
    if (tcp?.state === 'established') {
      if (isOwn(surroundings.socketHolders.get(tables.otherEnd(tcp) ?? -1) ?? [])) continue;
      connections += 1;
      if (ports.has(tcp.localPort)) served += 1;
    } else if (tables.unix.get(inode)?.state === 'connected' && !isOwn(pairHolders(inode, surroundings))) {
      connections += 1;
    }
  }
  return { listeningPorts: [...ports].sort((a, b) => a - b), connections, served };
}
