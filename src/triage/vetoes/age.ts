import { describeSpan, hasMarkOfDeed, MINUTE_MS, type FindVeto } from './veto.ts';

export const ageVeto: FindVeto = (facts) => {
  const { ageMs, parameters } = facts;
  if (hasMarkOfDeed(facts) || ageMs >= parameters.vetoes.minimumAgeMinutes * MINUTE_MS) return undefined;
  return `it started ${describeSpan(ageMs)} ago, which is less than ${parameters.vetoes.minimumAgeMinutes} min`;
};
