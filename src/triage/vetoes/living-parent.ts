import type { FindVeto } from './veto.ts';

/** A running parent that did not just adopt it. Descendants of an orphan are covered by the check of that orphan. */
export const livingParentVeto: FindVeto = ({ process, index, observation }) => {
  if (observation.stem !== null || index.isAdopted(process)) return undefined;
  const parent = index.get(process.ppid);
  return parent === undefined ? undefined : `its parent ${parent.pid} (${parent.comm}) is running`;
};
