import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../base/fault.ts';
import { LIVING } from '../inference/likelihood.ts';
import { DEFAULT_PARAMETERS, loadParameters } from './load-parameters.ts';
import { createParametersSchema } from './model-parameters.ts';
import { isProtectedName } from './protected-names.ts';

describe('the built-in parameters', () => {
  test('are valid, and every row of every table adds up to one', () => {
    expect(v.is(createParametersSchema(), DEFAULT_PARAMETERS)).toBe(true);
    for (const { strength: _strength, ...sides } of Object.values(DEFAULT_PARAMETERS.tables)) {
      for (const rows of Object.values(sides)) {
        for (const of of LIVING)
          expect(Object.values(rows[of]).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
      }
    }
  });

  test('have priors that add up to one, and the documented losses and thresholds', () => {
    const { priors, losses, thresholds } = DEFAULT_PARAMETERS;
    expect(priors).toEqual({ useful: 0.7, useful_bad: 0.05, abandoned: 0.2, zombie: 0.05 });
    expect(thresholds).toEqual({ kill: 0.9, review: 0.5 });
    expect(losses).toEqual({
      spare: [0, 10, 30, 50],
      review: [3, 5, 8, 8],
      pause: [5, 6, 15, 20],
      throttle: [8, 3, 10, 15],
      restart: [60, 12, 8, 5],
      kill: [100, 20, 1, 1],
    });
  });

  test('have a reference for the conformal sets and a null mean of at most one', () => {
    expect(DEFAULT_PARAMETERS.reference.useful.length).toBeGreaterThanOrEqual(300);
    expect(DEFAULT_PARAMETERS.reference.abandoned.length).toBeGreaterThanOrEqual(20);
    expect(DEFAULT_PARAMETERS.fdr.nullMean).toBeLessThanOrEqual(1);
  });
});

describe('overrides', () => {
  test('are merged by member, add to the protected names, and change the version', () => {
    const parameters = loadParameters({ thresholds: { kill: 0.99 }, names: { protected: ['my-daemon'] } });
    expect(parameters.thresholds).toEqual({ kill: 0.99, review: 0.5 });
    expect(parameters.names.protected).toEqual(['my-daemon', ...DEFAULT_PARAMETERS.names.protected]);
    expect(parameters.version).toBe(`${DEFAULT_PARAMETERS.version}+local`);
  });

  test('that are missing leave the built-in parameters unchanged', () => {
    expect(loadParameters(undefined)).toBe(DEFAULT_PARAMETERS);
  });

  test.each([
    [{ thresholds: { kill: 2 } }, 'thresholds.kill'],
    [{ threshold: {} }, 'triage.threshold'],
    [{ thresholds: 0.9 }, 'triage.thresholds'],
    [{ signatures: [{ name: 'x', kind: 'y', pattern: '(' }] }, 'signature x'],
    [{ losses: { kill: [1, 2] } }, 'losses.kill'],
    ['nonsense', 'triage'],
  ])('%j is rejected, naming the parameter', (overrides, named) => {
    let thrown: unknown;
    try {
      loadParameters(overrides);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(Fault);
    expect(thrown).toMatchObject({ code: 'E_CONFIG', message: expect.stringContaining(named) as string });
  });
});

test.each([
  ['systemd-logind', true],
  ['sshd', true],
  ['gnome-session-b', true],
  ['systemctl', false],
  ['node', false],
  ['', false],
])('%j is protected: %s', (name, expected) => {
  expect(isProtectedName(name, DEFAULT_PARAMETERS.names.protected)).toBe(expected);
});
