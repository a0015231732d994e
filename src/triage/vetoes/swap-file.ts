import type { FindVeto } from './veto.ts';

/** Swap files of editors, journals of databases, and unfinished downloads. */
export const swapFileVeto: FindVeto = ({ deep, parameters }) => {
  const pattern = new RegExp(parameters.vetoes.journals, 'u');
  const found = deep.writes.find(({ path }) => pattern.test(path));
  return found === undefined ? undefined : `it has the swap, journal or lock file ${found.path} open`;
};
