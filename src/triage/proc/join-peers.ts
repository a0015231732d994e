import type { DeepFacts, StandardStream } from '../process-snapshot.ts';
import type { Descriptor } from './fd-link.ts';
import type { Inspection } from './inspect-process.ts';
import { findUse } from './find-use.ts';
import { pairHolders, type PeerContext } from './peer-context.ts';

/** Joins the facts of a process with the other ends of its streams and sockets. */
export function joinPeers(inspection: Inspection, context: PeerContext): DeepFacts {
  const {
    pid,
    uid: _uid,
    descriptors,
    descriptorCount,
    unread,
    environment,
    own: ownUse,
    ...own
  } = inspection;
  const stream = (fd: number): StandardStream =>
    unread.has(fd)
      ? { kind: 'pipe', peer: 'gone', peers: [] }
      : describeStream(pid, fd, descriptors.get(fd), own.descriptorsReadable, context);
  return {
    ...own,
    stdio: [stream(0), stream(1), stream(2)],
    openFiles: descriptorCount,
    ...countSockets(inspection, context),
    runId: environment['DEED_RUN_ID'] ?? null,
    environment,
    use: { ...ownUse, lostBefore: context.lostBefore(pid), ...findUse(inspection, context) },
  };
}

function describeStream(
  pid: number,
  fd: number,
  descriptor: Descriptor | undefined,
  readable: boolean,
  context: PeerContext,
): StandardStream {
  if (!readable) return { kind: 'unknown', peer: 'unknown', peers: [] };
  if (descriptor === undefined) return { kind: 'closed', peer: 'none', peers: [] };
  switch (descriptor.kind) {
    case 'pipe': {
      const holders = context.pipes.byInode.get(descriptor.inode);
      if (holders === undefined) return { kind: 'pipe', peer: 'unknown', peers: [] };
      const peers = holders
        .filter((holder) => holder.pid !== pid && (fd === 0 ? holder.writes : holder.reads))
        .map((holder) => holder.pid);
      if (peers.length === 0)
        return { kind: 'pipe', peer: context.pipes.isPartial ? 'unknown' : 'gone', peers: [] };
      return { kind: 'pipe', peer: 'alive', peers: [...new Set(peers)] };
    }
    case 'socket':
      return describeSocket(pid, descriptor.inode, context);
    case 'terminal':
      return { kind: 'terminal', peer: descriptor.deleted ? 'gone' : 'alive', peers: [] };
    case 'null':
    case 'file':
    case 'other':
      return { kind: descriptor.kind, peer: 'none', peers: [] };
    case 'device':
    case 'inotify':
      return { kind: 'other', peer: 'none', peers: [] };
  }
}

function describeSocket(pid: number, inode: number, context: PeerContext): StandardStream {
  const tables = context.netTables(pid);
  const unix = tables.unix(inode)?.state;
  const tcp = unix === undefined ? tables.tcp(inode)?.state : undefined;
  if (unix === undefined && tcp === undefined) return { kind: 'socket', peer: 'unknown', peers: [] };
  if (unix === 'severed' || tcp === 'other') return { kind: 'socket', peer: 'gone', peers: [] };
  if (unix !== 'connected')
    return { kind: 'socket', peer: tcp === 'established' ? 'alive' : 'none', peers: [] };
  return {
    kind: 'socket',
    peer: 'alive',
    peers: pairHolders(inode, context).filter((peer) => peer !== pid),
  };
}

function countSockets(
  { pid, descriptors }: Inspection,
  context: PeerContext,
): Pick<DeepFacts, 'listeningPorts' | 'connections' | 'served'> {
  const inodes = new Set<number>();
  for (const [fd, descriptor] of descriptors)
    if (fd > 2 && descriptor.kind === 'socket') inodes.add(descriptor.inode);
  if (inodes.size === 0) return { listeningPorts: [], connections: 0, served: 0 };
  const tables = context.netTables(pid);
  const isOwn = (peers: readonly number[]): boolean =>
    peers.length > 0 && peers.every((peer) => context.sameFamily(pid, peer));
  const ports = new Set<number>();
  for (const inode of inodes) {
    const tcp = tables.tcp(inode);
    if (tcp?.state === 'listening') ports.add(tcp.localPort);
  }
  let connections = 0;
  let served = 0;
  for (const inode of inodes) {
    const tcp = tables.tcp(inode);
    if (tcp?.state === 'established') {
      if (isOwn(context.socketHolders.get(tables.otherEnd(tcp) ?? -1) ?? [])) continue;
      connections += 1;
      if (ports.has(tcp.localPort)) served += 1;
    } else if (tables.unix(inode)?.state === 'connected' && !isOwn(pairHolders(inode, context))) {
      connections += 1;
    }
  }
  return { listeningPorts: [...ports].sort((a, b) => a - b), connections, served };
}
