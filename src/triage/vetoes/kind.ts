import type { FindVeto } from './veto.ts';

/** Package managers, transfers, backups, databases, editors, multiplexers, notebooks, builds and interactive programs. */
export const kindVeto: FindVeto = ({ kind }) => (kind?.role === 'never' ? `it is ${kind.words}` : undefined);
