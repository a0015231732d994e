import type { LedgerTerm } from '../assessment.ts';
import { percent } from '../decision/percent.ts';
import type { Card, CardContext } from './card.ts';

export function posteriorCore({ assessment }: CardContext): Card {
  const { ledger, logPosterior, posterior, classification } = assessment;
  const blocks = ledger.filter(({ term }) => term !== 'prior' && term !== 'evidence');
  const prior = ledger.find(({ term }) => term === 'prior')?.logLikelihood;
  const evidence = ledger.find(({ term }) => term === 'evidence')?.logLikelihood;
  return {
    id: 'posterior_core',
    title: 'Posterior Core',
    equations: [
      'log P(C|x) = log P(C) + Σ_j log P(x_j|C) − log P(x)',
      'log odds = log P(abandoned|x) − log P(useful|x)',
    ],
    values: {
      log_prior_useful: prior?.useful ?? 0,
      log_prior_useful_bad: prior?.useful_bad ?? 0,
      log_prior_abandoned: prior?.abandoned ?? 0,
      log_prior_zombie: prior?.zombie ?? 0,
      prior_log_odds: (prior?.abandoned ?? 0) - (prior?.useful ?? 0),
      terms: Object.fromEntries(blocks.map(({ term, logOdds }) => [term, logOdds])),
      cells: Object.fromEntries(blocks.map(({ term, cell }) => [term, cell])),
      log_evidence: -(evidence?.useful ?? 0),
      log_posterior: { ...logPosterior },
      posterior: { ...posterior },
      log_odds: logPosterior.abandoned - logPosterior.useful,
    },
    intuition: `${describeTerms(blocks)} The most probable class is ${classification}, at ${percent(posterior[classification])}.`,
  };
}

function describeTerms(blocks: readonly LedgerTerm[]): string {
  const sorted = blocks.toSorted((a, b) => Math.abs(b.logOdds) - Math.abs(a.logOdds));
  const [first, second] = sorted;
  if (first === undefined) return 'Only the prior applies.';
  const side = first.logOdds > 0 ? 'for' : 'against';
  const other =
    second === undefined || second.logOdds === 0
      ? ''
      : `; ${second.term} ${Math.sign(second.logOdds) === Math.sign(first.logOdds) ? 'agrees' : 'weakens it'}`;
  return `The ${first.term} evidence dominates, ${side} abandoned${other}.`;
}
