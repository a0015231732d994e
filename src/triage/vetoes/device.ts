import type { FindVeto } from './veto.ts';

/** Sound cards, cameras, graphics, virtual machines, and the terminals that it provides to other programs. */
export const deviceVeto: FindVeto = ({ use }) => {
  const [device] = use.devices;
  if (device === undefined) return undefined;
  return device === '/dev/ptmx' || device === '/dev/pts/ptmx'
    ? 'it provides a terminal to other programs'
    : `it has the device ${device} open`;
};
