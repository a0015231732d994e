import type { FindVeto } from './veto.ts';

/** Kinds that listen on Unix sockets for the processes they start; a connection from another process is a separate veto. */
const USES_SOCKETS_INTERNALLY: ReadonlySet<string> = new Set(['watcher', 'test_worker']);
const PORT = /^(?:udp )?\d+$/u;

/** A socket that others use, or can reach. A loopback port without connections is not enough. */
export const listenerVeto: FindVeto = ({ use, kind }) => {
  const busy = use.listeners.find((listener) => listener.busy);
  if (busy !== undefined) return `its port ${busy.address} has or just had connections`;
  const isInternal = (address: string): boolean =>
    !PORT.test(address) && USES_SOCKETS_INTERNALLY.has(kind?.name ?? '');
  const open = use.listeners.find(({ local, address }) => !local && !isInternal(address));
  if (open === undefined) return undefined;
  return /^\d+$/u.test(open.address)
    ? `its port ${open.address} can be reached from other machines`
    : `it listens on ${open.address === '' ? 'a socket' : open.address}`;
};
