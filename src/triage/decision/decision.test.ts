import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ACTIONS, CLASSES, type ByClass } from '../assessment.ts';
import { createOrphan, createSnapshot } from '../../../test/fixtures/triage-snapshot.ts';
import { assess } from '../assess.ts';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import { ALPHA_INVESTING, openWealth, placeBet, refill, settleBet } from './alpha-investing.ts';
import { decideAction } from './decide-action.ts';
import { eBh } from './e-bh.ts';
import { cheapest, expectedLosses } from './expected-loss.ts';
import { findInfeasible, type Circumstances } from './feasibility.ts';
import { valueProbes } from './value-probes.ts';

const posteriors = fc
  .tuple(...CLASSES.map(() => fc.double({ min: 1e-6, max: 1, noNaN: true })))
  .map((weights): ByClass => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const [useful = 0, useful_bad = 0, abandoned = 0, zombie = 0] = weights.map((weight) => weight / total);
    return { useful, useful_bad, abandoned, zombie };
  });

const circumstances: Circumstances = {
  observation: firstOrphan().observation,
  exemption: null,
  supervisor: firstOrphan().supervisor,
  descendantObjection: undefined,
  ancestorObjection: undefined,
};

describe('the decision', () => {
  test.each(['kill', 'pause', 'throttle', 'restart'] as const)(
    'that proposes %s is a review without grounds or with a veto',
    (wanted) => {
      const options = { isListed: false, canReview: true };
      const grounds = { found: true, reason: 'its owner is gone' } as const;
      const veto = { veto: 'lock', reason: 'it holds a file lock' } as const;
      expect(decideAction(wanted, { grounds, vetoes: [] }, options)).toBe(wanted);
      expect(decideAction(wanted, { grounds, vetoes: [veto] }, options)).toBe('review');
      const none = { found: false, reason: 'it is of an unknown kind' } as const;
      expect(decideAction(wanted, { grounds: none, vetoes: [] }, options)).toBe('review');
    },
  );

  test('is the feasible action with the lowest expected loss', () => {
    fc.assert(
      fc.property(posteriors, (posterior) => {
        const losses = expectedLosses(posterior, DEFAULT_PARAMETERS);
        const infeasible = findInfeasible(circumstances, posterior, DEFAULT_PARAMETERS);
        const chosen = cheapest(losses, infeasible);
        expect(infeasible[chosen]).toBeUndefined();
        for (const action of ACTIONS)
          if (infeasible[action] === undefined) expect(losses[chosen]).toBeLessThanOrEqual(losses[action]);
      }),
    );
  });

  test('is never a kill or review at or below its threshold', () => {
    fc.assert(
      fc.property(posteriors, (posterior) => {
        const chosen = cheapest(
          expectedLosses(posterior, DEFAULT_PARAMETERS),
          findInfeasible(circumstances, posterior, DEFAULT_PARAMETERS),
        );
        const gone = posterior.abandoned + posterior.zombie;
        if (chosen === 'kill') expect(gone).toBeGreaterThan(DEFAULT_PARAMETERS.thresholds.kill);
        if (chosen === 'review')
          expect(Math.max(gone, posterior.useful_bad)).toBeGreaterThan(DEFAULT_PARAMETERS.thresholds.review);
      }),
    );
  });

  test('can be a kill', () => {
    const posterior = { useful: 0.02, useful_bad: 0.005, abandoned: 0.97, zombie: 0.005 };
    expect(
      cheapest(
        expectedLosses(posterior, DEFAULT_PARAMETERS),
        findInfeasible(circumstances, posterior, DEFAULT_PARAMETERS),
      ),
    ).toBe('kill');
  });
});

test('the value of information is never negative, and probes do not change the mean posterior', () => {
  fc.assert(
    fc.property(posteriors, (posterior) => {
      for (const probe of valueProbes(posterior, circumstances, DEFAULT_PARAMETERS)) {
        expect(probe.value).toBeGreaterThanOrEqual(0);
        expect(probe.expectedConfidence).toBeGreaterThanOrEqual(
          Math.max(...CLASSES.map((className) => posterior[className])) - 1e-9,
        );
      }
    }),
  );
});

describe('e-BH', () => {
  test('rejects the largest k of its definition', () => {
    const eValues = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { maxLength: 30 });
    fc.assert(
      fc.property(
        eValues,
        fc.integer({ min: 30, max: 1000 }),
        fc.constantFrom(0.01, 0.05, 0.2),
        (values, m, alpha) => {
          const sorted = values.toSorted((a, b) => b - a);
          let expected = 0;
          for (let k = 1; k <= sorted.length; k += 1)
            if ((sorted[k - 1] ?? 0) >= m / (alpha * k)) expected = k;
          expect(eBh(values, m, alpha).rejections).toBe(expected);
        },
      ),
    );
  });

  test('rejects nothing at level zero', () => {
    expect(eBh([1e9], 1, 0)).toMatchObject({ rejections: 0, threshold: null });
  });
});

describe('alpha-investing', () => {
  test('invests half its wealth and pays if nothing is rejected', () => {
    const wealth = openWealth(0);
    const bet = placeBet(wealth);
    expect(bet).toEqual({ alpha: 0.025, exhausted: false });
    expect(settleBet(wealth, bet, 0).amount).toBeCloseTo(0.05 - 0.025 / 0.975, 12);
    expect(settleBet(wealth, bet, 3).amount).toBeCloseTo(0.075, 12);
  });

  test('is exhausted by failures, stays between zero and its cap, and is refilled after a day', () => {
    let wealth = openWealth(0);
    for (let plan = 0; plan < 20; plan += 1) wealth = settleBet(wealth, placeBet(wealth), 0);
    expect(wealth.amount).toBeGreaterThanOrEqual(0);
    expect(placeBet(wealth).exhausted).toBe(true);
    expect(refill(wealth, ALPHA_INVESTING.refillMs - 1)).toBe(wealth);
    expect(refill(wealth, ALPHA_INVESTING.refillMs)).toEqual(openWealth(ALPHA_INVESTING.refillMs));
    let rich = openWealth(0);
    for (let plan = 0; plan < 20; plan += 1) rich = settleBet(rich, placeBet(rich), 1);
    expect(rich.amount).toBe(ALPHA_INVESTING.cap);
  });
});

function firstOrphan() {
  const found = assess(createSnapshot([createOrphan()]), DEFAULT_PARAMETERS, { alpha: 0.05 }).assessments[0];
  if (found === undefined) throw new Error('the orphan was not assessed');
  return found;
}
