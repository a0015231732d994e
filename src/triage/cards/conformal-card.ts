import type { Card, CardContext } from './card.ts';

export function conformalInterval({ assessment }: CardContext): Card {
  const { interval, level, referenceCounts } = assessment.conformal;
  return {
    id: 'conformal_interval',
    title: 'Conformal Interval',
    equations: [
      'q = the ⌈(n+1)(1−ε)⌉-th smallest of 1 − P(abandoned) over held-out abandoned processes',
      'interval = [P − q, P + q] ∩ [0, 1]',
    ],
    values: {
      posterior_abandoned: assessment.posterior.abandoned,
      level,
      count: referenceCounts.abandoned,
      half_width: interval?.halfWidth ?? null,
      low: interval?.low ?? null,
      high: interval?.high ?? null,
      status: interval === null ? 'insufficient' : 'available',
    },
    intuition:
      interval === null
        ? `Only ${referenceCounts.abandoned} labelled abandoned processes: too few for an interval.`
        : `For ${((1 - level) * 100).toFixed(0)} % of held-out abandoned processes, the posterior was within ${interval.halfWidth.toFixed(3)} of 1.`,
  };
}

export function conformalClass({ assessment }: CardContext): Card {
  const { pValues, set, level, referenceCounts, blocksAutomation } = assessment.conformal;
  return {
    id: 'conformal_class',
    title: 'Conformal Class Set',
    equations: ['s_C = 1 − P(C|x)', 'p_C = (1 + #{j : s_j ≥ s_C}) / (n_C + 1)', 'set = {C : p_C > ε}'],
    values: {
      level,
      p_values: { ...pValues },
      reference_counts: { ...referenceCounts },
      set,
      blocks_automation: blocksAutomation,
    },
    intuition: blocksAutomation
      ? 'Some known useful processes looked like this, so a person should decide.'
      : `At ${((1 - level) * 100).toFixed(0)} % confidence it is ${set.length === 0 ? 'none of the known classes' : set.join(' or ')}.`,
  };
}
