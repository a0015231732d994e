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
        ? `Only ${referenceCounts.abandoned} abandoned processes are known by label: too few for an interval.`
        : `Of abandoned processes the model had not seen, ${((1 - level) * 100).toFixed(0)} % were within ${interval.halfWidth.toFixed(3)} of certainty.`,
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
      ? 'Useful processes that looked like this are known, so a person should decide.'
      : `At ${((1 - level) * 100).toFixed(0)} % it may be ${set.length === 0 ? 'nothing that is known' : set.join(' or ')}.`,
  };
}
