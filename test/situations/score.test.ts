import { expect, test } from 'vitest';
import type { BatchObservation, CaseObservation } from './observation.ts';
import { total } from './render-score.ts';
import { score } from './score.ts';
import { abandoned, eligible, keep, reviewOnly, type Family } from './situation.ts';

const FAMILY: Family = {
  name: 'family',
  situations: [
    keep('used', { stage: 'owner' }, 'in use', ''),
    abandoned('left', { stage: 'orphan' }, 'left', ''),
    eligible('worker', { stage: 'orphan' }, 'left', ''),
    reviewOnly('old', { stage: 'owner' }, 'superseded', ''),
  ],
};

/** One process with a proposal, in each situation, at two ages. */
function observeAs(actions: Readonly<Record<string, string | null>>): BatchObservation {
  const situations = Object.entries(actions).map(([id, action]) => {
    const one = (age: 'now' | '2 days'): CaseObservation => ({
      age,
      proposals: action === null ? [] : [{ pid: 7, action, command: id, evidence: 'odds' }],
      targets: [{ name: 'server', pid: 7, action }],
    });
    return { id, cases: [one('now'), one('2 days')] };
  });
  return { situations, plans: [], runnerActions: [] };
}

const sumsOf = (actions: Readonly<Record<string, string | null>>) => {
  const result = score([FAMILY], [observeAs(actions)]);
  const { kept, keptCorrectly, abandoned, listed, eligible, ended } = total(result.families);
  const named = result.falseActions.map(({ id, age }) => `${id} ${age}`);
  return { kept, keptCorrectly, abandoned, listed, eligible, ended, named };
};

test('right answers: kept processes may be listed for review, abandoned ones are listed or ended', () => {
  expect(sumsOf({ used: 'review', left: 'review', worker: 'kill', old: 'review' })).toEqual({
    kept: 2,
    keptCorrectly: 2,
    abandoned: 3,
    listed: 3,
    eligible: 1,
    ended: 1,
    named: [],
  });
});

test.each(['kill', 'pause', 'throttle', 'restart'])(
  '%s of a kept process is false at every age',
  (action) => {
    expect(sumsOf({ used: action, old: action })).toMatchObject({
      keptCorrectly: 0,
      named: ['used now', 'used 2 days', 'old 2 days'],
    });
  },
);

test('what is not listed and what is only reviewed counts as missed', () => {
  expect(sumsOf({ left: null, worker: 'review' })).toMatchObject({
    abandoned: 2,
    listed: 1,
    eligible: 1,
    ended: 0,
  });
});
