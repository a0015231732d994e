import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLASSES } from '../assessment.ts';
import type { Observation } from '../features/observation.ts';
import { DEFAULT_PARAMETERS, loadParameters } from '../parameters/load-parameters.ts';
import { createConformal } from './conformal.ts';
import { cumulativeHazard, hazardAt } from './hazard.ts';
import { BLOCKS, type Block, type LivingClass } from './likelihood.ts';
import { eValue, inferPosterior, sumLedger } from './posterior.ts';
import { createLikelihood } from './likelihood-tables.ts';

const { tables } = DEFAULT_PARAMETERS;
const likelihood = createLikelihood(DEFAULT_PARAMETERS);
const ANCHORS = Object.keys(tables.anchor.base.useful) as Observation['anchor'][];
const STREAMS = Object.keys(tables.streams.lost.useful) as Observation['streams'][];
const KINDS = Object.keys(tables.signature.lost.useful);
const LOST = new Set(['session', 'daemon', 'orphan', 'ended_run', 'ended_agent']);

/** An arbitrary observation. */
const observations = fc
  .record({
    state: fc.constantFrom('alive', 'alive', 'zombie'),
    anchor: fc.constantFrom(...ANCHORS),
    streams: fc.constantFrom(...STREAMS, 'unknown' as const),
    cwdDeleted: fc.boolean(),
    kind: fc.constantFrom(...KINDS, 'a-kind-of-my-own'),
    activity: fc.constantFrom(...(Object.keys(tables.activity.base.useful) as Observation['activity'][])),
    lossAge: fc.constantFrom(...(Object.keys(tables.loss_age.base.useful) as Observation['lossAge'][])),
    network: fc.constantFrom(
      ...(Object.keys(tables.network.base.useful) as Observation['network'][]),
      'unknown' as const,
    ),
    writes: fc.constantFrom(
      ...(Object.keys(tables.writes.base.useful) as Observation['writes'][]),
      'unknown' as const,
    ),
    cpuPercent: fc.double({ min: 0, max: 400, noNaN: true }),
  })
  .map((seen): Observation => {
    const lost = LOST.has(seen.anchor);
    return {
      ...seen,
      origin: null,
      lost,
      stem: null,
      signature: null,
      lostForMs: lost ? 1000 : null,
      lossAge: lost ? seen.lossAge : 'whole',
    };
  });

describe('the posterior', () => {
  test('is the sum of its ledger, bit for bit, and adds up to one', () => {
    fc.assert(
      fc.property(observations, (seen) => {
        const { ledger, logPosterior, posterior } = inferPosterior(
          seen,
          DEFAULT_PARAMETERS,
          likelihood,
          false,
        );
        expect(sumLedger(ledger)).toEqual(logPosterior);
        for (const className of CLASSES) {
          let sum = 0;
          for (const { logLikelihood } of ledger) sum += logLikelihood[className];
          expect(sum).toBe(logPosterior[className]);
          expect(posterior[className]).toBe(Math.exp(sum));
        }
        expect(CLASSES.reduce((sum, className) => sum + posterior[className], 0)).toBeCloseTo(1, 12);
      }),
    );
  });

  test('is a zombie for an exited process, and never for a running one', () => {
    fc.assert(
      fc.property(observations, (seen) => {
        const { posterior } = inferPosterior(seen, DEFAULT_PARAMETERS, likelihood, false);
        if (seen.state === 'zombie') expect(posterior.zombie).toBeGreaterThan(0.999_999);
        else expect(posterior.zombie).toBeLessThan(1e-3);
      }),
    );
  });

  test('hardly changes for an idle process', () => {
    const { useful, abandoned } = likelihood('activity', 'idle');
    expect(Math.abs(Math.log(abandoned / useful))).toBeLessThan(Math.log(1.5));
  });

  test('treats the time since the loss as evidence only after five minutes, at most by a factor of five', () => {
    const ratio = (cell: string): number =>
      likelihood('loss_age', cell).abandoned / likelihood('loss_age', cell).useful;
    expect(ratio('under_5m')).toBeLessThanOrEqual(1);
    for (const cell of Object.keys(tables.loss_age.base.useful)) expect(ratio(cell)).toBeLessThanOrEqual(5);
  });
});

describe('a table', () => {
  const cells: Record<Block, readonly string[]> = {
    lifeline: ANCHORS.flatMap((anchor) =>
      STREAMS.flatMap((streams) => ['present', 'deleted'].map((cwd) => `${anchor}/${streams}/${cwd}`)),
    ),
    signature: KINDS.map((kind) => `lost/${kind}`),
    activity: Object.keys(tables.activity.base.useful),
    loss_age: Object.keys(tables.loss_age.base.useful),
    network: Object.keys(tables.network.base.useful),
    writes: Object.keys(tables.writes.base.useful),
  };

  test.each(BLOCKS)(
    '%s is a distribution; the limit on ratios only raises shares of useful processes',
    (block) => {
      const total = (className: LivingClass): number =>
        cells[block].reduce((sum, cell) => sum + likelihood(block, cell)[className], 0);
      expect(total('abandoned')).toBeCloseTo(1, 9);
      expect(total('useful')).toBeGreaterThan(1 - 1e-9);
      expect(total('useful_bad')).toBeGreaterThan(1 - 1e-9);
    },
  );

  test('gives a lifeline with unknown streams the sum over all streams', () => {
    const whole = STREAMS.reduce(
      (sum, streams) => sum + likelihood('lifeline', `orphan/${streams}/present`).abandoned,
      0,
    );
    expect(likelihood('lifeline', 'orphan/unknown/present').abandoned).toBeCloseTo(whole, 9);
  });

  test('has no ratio against a process above what its counts support', () => {
    const { useful = {}, useful_bad: bad = {} } = DEFAULT_PARAMETERS.counts['lifeline'] ?? {};
    const total = [...Object.values(useful), ...Object.values(bad)].reduce((sum, count) => sum + count, 0);
    const cell = 'orphan/severed/deleted';
    expect(useful[cell]).toBeUndefined();
    const shares = likelihood('lifeline', cell);
    expect(shares.abandoned / shares.useful).toBeLessThanOrEqual(total / 3);
    // Time since the loss is not counted, so it does not count against a process.
    for (const age of Object.keys(tables.loss_age.base.useful)) {
      const known = likelihood('loss_age', age);
      expect(known.abandoned / known.useful).toBeLessThanOrEqual(1);
    }
  });
});

test('grounds without a veto are one observation, whose ratio is limited by the number of useful processes', () => {
  const { ledger } = inferPosterior(orphan(), DEFAULT_PARAMETERS, likelihood, true);
  expect(ledger.map(({ term }) => term)).toEqual(['prior', 'state', 'grounds', 'evidence']);
  const { useful, abandoned } = DEFAULT_PARAMETERS.grounds.counts;
  expect(useful.allowed).toBe(0);
  const limit = (abandoned.allowed / abandoned.total) * (useful.total / 3);
  expect(eValue(ledger, DEFAULT_PARAMETERS)).toBeCloseTo(limit, 6);
});

describe('a parameters file cannot raise the evidence above what its counts support:', () => {
  const e = (overrides: unknown, seen: Observation, isAllowed = false): number => {
    const parameters = loadParameters(overrides);
    return eValue(
      inferPosterior(seen, parameters, createLikelihood(parameters), isAllowed).ledger,
      parameters,
    );
  };
  const extreme = (cell: string): unknown => ({
    strength: 1e9,
    base: Object.fromEntries(
      (['useful', 'useful_bad', 'abandoned'] as const).map((className) => [
        className,
        { [cell]: className === 'abandoned' ? 1e9 : 1e-9 },
      ]),
    ),
  });
  const tables = { anchor: extreme('orphan'), activity: extreme('idle'), writes: extreme('none') };
  const limit = DEFAULT_PARAMETERS.grounds.counts.useful.total / 3;

  test('with tables and no counts, the built-in counts are the limit', () => {
    fc.assert(
      fc.property(observations, fc.boolean(), (seen, isAllowed) => {
        expect(e({ tables }, seen, isAllowed)).toBeLessThanOrEqual(limit * (1 + 1e-9));
      }),
    );
    // Without the limit on the evidence as a whole, the ratios of the single observations would multiply.
    expect(e({ tables }, orphan())).toBeCloseTo(limit, 6);
  });

  test('with fewer counts, the limit is lower; with none, nothing counts against a process', () => {
    const counts = (total: number): unknown => ({ tables, grounds: { counts: { useful: { total } } } });
    expect(e(counts(30), orphan())).toBeCloseTo(10, 6);
    expect(e(counts(30), orphan(), true)).toBeLessThanOrEqual(10);
    expect(e(counts(2), orphan())).toBeCloseTo(1, 6);
    expect(e(counts(0), orphan(), true)).toBeCloseTo(1, 6);
  });

  test('counts that contradict themselves are rejected', () => {
    expect(() => loadParameters({ grounds: { counts: { abandoned: { allowed: 6000 } } } })).toThrow(
      '"allowed" must be at most "total"',
    );
  });

  test('and it cannot state how often rejected processes are in use', () => {
    expect(DEFAULT_PARAMETERS.fdr.heldOut).not.toBeNull();
    expect(loadParameters({ thresholds: { kill: 0.99 } }).fdr.heldOut).toEqual(
      DEFAULT_PARAMETERS.fdr.heldOut,
    );
    expect(
      loadParameters({ fdr: { heldOut: { rejected: 1000, inUse: 0, bound: 0.003 } } }).fdr.heldOut,
    ).toBeNull();
    expect(loadParameters({ tables }).fdr.heldOut).toBeNull();
  });
});

test('an e-value excludes the prior, and is divided only by a null mean above one', () => {
  const { ledger } = inferPosterior(orphan(), DEFAULT_PARAMETERS, likelihood, false);
  const under = (nullMean: number): number =>
    eValue(ledger, { ...DEFAULT_PARAMETERS, fdr: { alpha: 0.05, nullMean, heldOut: null } });
  const other = {
    ...DEFAULT_PARAMETERS,
    priors: { useful: 0.01, useful_bad: 0.01, abandoned: 0.97, zombie: 0.01 },
  };
  expect(eValue(inferPosterior(orphan(), other, likelihood, false).ledger, other)).toBeCloseTo(under(0.2), 6);
  expect(under(4)).toBeCloseTo(under(1) / 4, 6);
});

test('e-values have a mean of at most one over useful processes', () => {
  // Summed over all cells of each block, which are independent given the class: the expectation of the model.
  const expectation = (block: Block, cells: readonly string[]): number =>
    cells.reduce((sum, cell) => {
      const { useful, useful_bad: usefulBad, abandoned } = likelihood(block, cell);
      return sum + (useful * abandoned) / Math.max(useful, usefulBad);
    }, 0);
  for (const block of ['activity', 'network', 'writes', 'loss_age'] as const) {
    expect(expectation(block, Object.keys(tables[block].base.useful))).toBeLessThanOrEqual(1 + 1e-9);
  }
});

describe('a conformal set', () => {
  const posterior = { useful: 0.01, useful_bad: 0.01, abandoned: 0.97, zombie: 0.01 };

  test('is insufficient with fewer than twenty references, and blocks nothing', () => {
    const reference = {
      useful: Array.from({ length: 19 }, () => 0.999),
      useful_bad: [],
      abandoned: [],
      zombie: [],
    };
    const result = createConformal({ ...DEFAULT_PARAMETERS, reference })(posterior);
    expect(result).toMatchObject({
      pValues: { useful: 'insufficient' },
      set: [],
      interval: null,
      blocksAutomation: false,
    });
  });

  test('contains useful and blocks automation if known useful processes looked like this', () => {
    const reference = {
      useful: Array.from({ length: 20 }, () => 0.999),
      useful_bad: [],
      abandoned: [],
      zombie: [],
    };
    const result = createConformal({ ...DEFAULT_PARAMETERS, reference })(posterior);
    expect(result).toMatchObject({ pValues: { useful: 1 }, set: ['useful'], blocksAutomation: true });
  });

  test('includes the labels of a user', () => {
    const reference = {
      useful: [],
      useful_bad: [],
      abandoned: Array.from({ length: 19 }, () => 0.1),
      zombie: [],
    };
    const labels = [{ class: 'abandoned' as const, posterior: 0.5 }];
    const result = createConformal({ ...DEFAULT_PARAMETERS, reference }, labels)(posterior);
    expect(result.pValues.abandoned).toBe(1);
    expect(result.interval).toMatchObject({ halfWidth: 0.5, low: 0.47, high: 1, count: 20 });
  });
});

describe('the hazard', () => {
  test('has the rate of its interval, and survival decreases', () => {
    expect(hazardAt(0, DEFAULT_PARAMETERS)).toMatchObject({ ratePerHour: 0.9, survival: 1 });
    expect(hazardAt(30 * 60_000, DEFAULT_PARAMETERS).ratePerHour).toBe(0.2);
    expect(hazardAt(48 * 3_600_000, DEFAULT_PARAMETERS).ratePerHour).toBe(0.002);
    expect(cumulativeHazard(3_600_000, DEFAULT_PARAMETERS)).toBeCloseTo((5 / 60) * 0.9 + (55 / 60) * 0.2, 12);
  });

  test('is zero for a process that is not orphaned', () => {
    expect(hazardAt(null, DEFAULT_PARAMETERS)).toEqual({
      lostForMs: null,
      ratePerHour: 0,
      survival: 1,
      usefulAgainWithinHour: 0,
    });
  });
});

function orphan(): Observation {
  return {
    state: 'alive',
    anchor: 'orphan',
    origin: null,
    streams: 'severed',
    cwdDeleted: false,
    lost: true,
    stem: null,
    signature: 'mcp-server',
    kind: 'mcp_server',
    activity: 'idle',
    lossAge: 'under_1h',
    lostForMs: 1_800_000,
    network: 'none',
    writes: 'none',
    cpuPercent: 0,
  };
}
