import type { FindVeto } from './veto.ts';

/** A stopped process is a job that a person can continue. */
export const jobControlVeto: FindVeto = ({ process }) =>
  process.state === 'T' ? 'it is stopped and can be continued' : undefined;
