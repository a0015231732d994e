import type { Listener, UseFacts } from '../process-snapshot.ts';
import type { Inspection } from './inspect-process.ts';
import type { NetTables } from './net-tables.ts';
import { isLoopbackAddress, type TcpSocket } from './net-tcp.ts';
import { pairHolders, type PeerContext } from './peer-context.ts';

type SocketUse = Pick<UseFacts, 'remoteConnections' | 'localConnections' | 'unknownSockets' | 'listeners'>;

/** Finds the sockets of a process that connect it, or can connect it, to processes outside its own tree. */
export function findUse({ pid, descriptors }: Inspection, context: PeerContext): SocketUse {
  const inodes = new Set<number>();
  for (const [fd, descriptor] of descriptors)
    if (fd > 2 && descriptor.kind === 'socket') inodes.add(descriptor.inode);
  const use = { remoteConnections: 0, localConnections: 0, unknownSockets: 0 };
  const listeners: Listener[] = [];
  if (inodes.size === 0) return { ...use, listeners };
  const tables = context.netTables(pid);
  const isOwn = (peers: readonly number[]): boolean =>
    peers.length > 0 && peers.every((peer) => context.sameFamily(pid, peer));
  const isOwnConnection = (socket: TcpSocket): boolean =>
    isOwn(context.socketHolders.get(tables.otherEnd(socket) ?? -1) ?? []);
  for (const inode of inodes) {
    const tcp = tables.tcp(inode);
    const unix = tcp === undefined ? tables.unix(inode) : undefined;
    const udp = tcp === undefined && unix === undefined ? tables.udp(inode) : undefined;
    if (tcp !== undefined) {
      if (tcp.state === 'listening') listeners.push(describePort(tcp, tables, isOwnConnection));
      else if (tcp.state === 'established' && !isOwnConnection(tcp)) use.remoteConnections += 1;
    } else if (unix !== undefined) {
      if (unix.state === 'listening') listeners.push({ address: unix.path, local: false, busy: false });
      else if (unix.state === 'connected' && !isOwn(pairHolders(inode, context))) use.localConnections += 1;
    } else if (udp !== undefined) {
      if (udp.state === 'established') use.remoteConnections += 1;
      else if (udp.localPort !== 0)
        listeners.push({ address: `udp ${udp.localPort}`, local: isLoopbackAddress(udp.local), busy: false });
    } else if (!tables.isNetlink(inode)) {
      use.unknownSockets += 1;
    }
  }
  return { ...use, listeners };
}

/** A closed connection stays in the table for a minute (TIME_WAIT) at the end that closed it first. */
function describePort(
  socket: TcpSocket,
  tables: NetTables,
  isOwnConnection: (socket: TcpSocket) => boolean,
): Listener {
  const { localPort } = socket;
  const busy = tables.atPort(localPort).some((other) => {
    // The end of a local client; the other end belongs to the listener, so it is counted only when that end has closed.
    if (other.localPort !== localPort) return other.state === 'time_wait' && isLoopbackAddress(other.local);
    return !isOwnConnection(other);
  });
  return { address: String(localPort), local: isLoopbackAddress(socket.local), busy };
}
