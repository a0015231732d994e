import type { FindVeto } from './veto.ts';

/** A running process outside its tree has the other end of a standard stream open. */
export const streamsVeto: FindVeto = ({ observation }) =>
  observation.streams === 'held' ? 'a running process uses its standard streams' : undefined;
