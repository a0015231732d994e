import { expect, test } from 'vitest';
import { createDeep, createOrphan, createSnapshot, SEVERED } from '../../../test/fixtures/triage-snapshot.ts';
import { assess } from '../assess.ts';
import { openWealth, placeBet } from '../decision/alpha-investing.ts';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import { buildCards } from './build-cards.ts';
import { CARD_IDS, type Card } from './card.ts';

const wealth = openWealth(0);
const bet = placeBet(wealth);

test('has the seven cards of the contract, each with equations, values and an intuition', () => {
  const cards = cardsOf();
  expect(cards.map(({ id }) => id)).toEqual([...CARD_IDS]);
  expect([...CARD_IDS]).toEqual([
    'posterior_core',
    'hazard_time_varying',
    'conformal_interval',
    'conformal_class',
    'e_fdr',
    'alpha_investing',
    'voi',
  ]);
  for (const { title, equations, values, intuition } of cards) {
    expect(title).not.toBe('');
    expect(equations.length).toBeGreaterThan(0);
    expect(intuition).toMatch(/\.$/u);
    expect(JSON.parse(JSON.stringify(values))).toEqual(values);
  }
});

test('has consistent numbers on each card', () => {
  const cards = cardsOf();
  const core = values(cards, 'posterior_core') as {
    prior_log_odds: number;
    terms: Record<string, number>;
    log_odds: number;
  };
  expect(Object.values(core.terms).reduce((sum, term) => sum + term, core.prior_log_odds)).toBeCloseTo(
    core.log_odds,
    9,
  );

  const fdr = values(cards, 'e_fdr') as Record<string, number>;
  const ratio = Math.exp(fdr.log_p_abandoned! - Math.max(fdr.log_p_useful!, fdr.log_p_useful_bad!));
  expect(fdr.e_value).toBeCloseTo(ratio / Math.max(1, fdr.null_mean!), 6);
  expect(fdr.threshold).toBeCloseTo(fdr.m! / (fdr.alpha! * fdr.k!), 9);

  const hazard = values(cards, 'hazard_time_varying') as Record<string, number>;
  expect(hazard.survival).toBeCloseTo(Math.exp(-hazard.cumulative_hazard!), 12);

  const investing = values(cards, 'alpha_investing') as Record<string, number>;
  expect(investing.wealth_after).toBeCloseTo(investing.wealth_before! + investing.reward_if_something!, 12);

  const information = values(cards, 'voi') as {
    expected_loss_now: number;
    probes: { expected_loss_after: number; value: number }[];
  };
  for (const probe of information.probes) {
    expect(probe.value).toBeCloseTo(
      Math.max(0, information.expected_loss_now - probe.expected_loss_after),
      9,
    );
  }
});

test('gives the same cards for a stored snapshot', () => {
  expect(JSON.stringify(cardsOf())).toBe(JSON.stringify(cardsOf()));
});

function cardsOf(): readonly Card[] {
  const snapshot = createSnapshot([
    createOrphan({ deep: createDeep({ stdio: [SEVERED, SEVERED, SEVERED] }) }),
  ]);
  const judgement = assess(JSON.parse(JSON.stringify(snapshot)) as typeof snapshot, DEFAULT_PARAMETERS, {
    alpha: bet.alpha,
  });
  const [assessment] = judgement.assessments;
  if (assessment === undefined) throw new Error('the orphan was not assessed');
  return buildCards({ assessment, judgement, parameters: DEFAULT_PARAMETERS, wealth, bet });
}

function values(cards: readonly Card[], id: Card['id']): unknown {
  return cards.find((card) => card.id === id)?.values;
}
