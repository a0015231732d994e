import type { FindVeto } from './veto.ts';

/** A socket that others use, or can reach. A loopback port without connections is not enough. */
export const listenerVeto: FindVeto = ({ use }) => {
  const busy = use.listeners.find((listener) => listener.busy);
  if (busy !== undefined) return `its port ${busy.address} has or just had connections`;
  const open = use.listeners.find((listener) => !listener.local);
  if (open === undefined) return undefined;
  return /^\d+$/u.test(open.address)
    ? `its port ${open.address} can be reached from other machines`
    : `it listens on ${open.address === '' ? 'a socket' : open.address}`;
};
