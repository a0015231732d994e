import type { FindVeto } from './veto.ts';

export const lockVeto: FindVeto = ({ deep }) =>
  deep.locks > 0 ? `it holds ${deep.locks === 1 ? 'a file lock' : `${deep.locks} file locks`}` : undefined;
