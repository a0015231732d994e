import { describe, expect, it } from 'vitest';
import type { Delta } from '../run/run-capsule.ts';
import { checkAdmission, type AdmissionInput } from './check-admission.ts';
import { classifyChanges } from './classify-changes.ts';

const LIMITS = { maxFiles: 2, maxToolOps: 2, maxDeltaSize: 3 };
const delta = (target: string): Delta => ({ type: 'add', target });
const many = (count: number): Delta[] => Array.from({ length: count }, (_, i) => delta(`f${i}`));
const capsule = (
  paths: (string | undefined)[],
  ops: number,
  deltas: Partial<AdmissionInput> = {},
): AdmissionInput => ({
  artifacts: paths.map((path) => ({ path })),
  toolTrace: Array.from({ length: ops }, (_, i) => ({ id: `t${i}` })),
  deltaO: [],
  deltaPi: [],
  deltaLambda: [],
  deltaQ: [],
  ...deltas,
});

describe('admission', () => {
  it('admits a run that is exactly at every limit', () => {
    expect(checkAdmission(capsule(['a', 'b'], 2, { deltaO: many(3) }), LIMITS)).toEqual({ ok: true });
  });

  it.each([
    ['files', capsule(['a', 'b', 'c'], 0), 'Exceeded max files: 3 > 2', 'files_exceeded'],
    ['tool ops', capsule([], 3), 'Exceeded max tool ops: 3 > 2', 'tools_exceeded'],
    [
      'the sum of all deltas',
      capsule([], 0, { deltaO: many(1), deltaPi: many(1), deltaLambda: many(1), deltaQ: many(1) }),
      'Exceeded max delta size: 4 > 3',
      'delta_too_large',
    ],
  ])('denies with the contract’s wording: %s', (_, input, reason, denial) => {
    expect(checkAdmission(input, LIMITS)).toEqual({ ok: false, reason, denial });
  });

  it('counts a file once even if it was changed several times, and ignores commands', () => {
    expect(checkAdmission(capsule(['a', 'a', 'a', 'b', undefined], 0), LIMITS).ok).toBe(true);
  });

  it('reports the first violated rule in the contract’s order', () => {
    expect(checkAdmission(capsule(['a', 'b', 'c'], 9, { deltaO: many(9) }), LIMITS).reason).toContain(
      'max files',
    );
  });
});

describe('a change', () => {
  it.each([
    ['src/parser.ts', 'deltaO'],
    ['latest/notes.md', 'deltaO'],
    ['src/contest.ts', 'deltaO'],
    ['src/parser.test.ts', 'deltaQ'],
    ['pkg/parser_test.go', 'deltaQ'],
    ['test/x/y.txt', 'deltaQ'],
    ['a/tests/y', 'deltaQ'],
    ['tests/test_x.py', 'deltaQ'],
    ['package.json', 'deltaLambda'],
    ['web/package.json', 'deltaLambda'],
    ['.github/workflows/ci.yml', 'deltaLambda'],
    ['vite.config.ts', 'deltaLambda'],
    ['tsconfig.lib.json', 'deltaLambda'],
    ['.eslintrc.cjs', 'deltaLambda'],
    ['package-lock.json', 'deltaPi'],
    ['dist/a.js', 'deltaPi'],
    ['web/dist/a.js', 'deltaPi'],
    ['docs/declared.md', 'deltaPi'],
    ['a name\nwith a line', 'deltaO'],
  ])('of %j is in %s only', (path, where) => {
    const found = classifyChanges([delta(path)], ['/docs/declared.md']);
    const full = { deltaO: [], deltaPi: [], deltaLambda: [], deltaQ: [], [where]: [delta(path)] };
    expect(found).toEqual(full);
  });

  it('is classified by configured patterns', () => {
    const patterns = { quality: ['proofs/**'], rules: [], projections: [] };
    expect(classifyChanges([delta('proofs/a'), delta('package.json')], [], patterns)).toMatchObject({
      deltaQ: [delta('proofs/a')],
      deltaO: [delta('package.json')],
    });
  });
});
