import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../scripts/build-constants.ts';
import { inNamespace, namespaceCommand } from '../../../test/fixtures/pid-namespace.ts';

const ROUNDS = process.env.DEED_TEST_LONG ? 10_000 : 25;

describe.runIf(namespaceCommand !== null)('a reused pid', () => {
  it('never makes an action hit the new process, at any moment of reuse', () => {
    const node = join(ROOT, 'node_modules/.bin/node');
    const script = join(ROOT, 'test/fixtures/processes/reuse-pids.ts');
    const seed = Math.floor(Math.random() * 1e9);
    const { stdout, stderr } = inNamespace(`'${node}' '${script}' ${ROUNDS} ${seed}`, {}, 3_600_000);
    const counts = JSON.parse(
      stdout.trim().split('\n').at(-1) || `{"failed":${JSON.stringify(stderr)}}`,
    ) as Record<string, number>;
    expect({ ...counts, seed }, JSON.stringify(counts)).toMatchObject({
      rounds: ROUNDS,
      foreignTouched: 0,
      targetsLeft: 0,
    });
    // Otherwise the test would prove nothing.
    expect(counts.reused).toBeGreaterThan(ROUNDS / 4);
    expect(counts.acted).toBeGreaterThan(ROUNDS / 8);
  }, 3_600_000);
});
