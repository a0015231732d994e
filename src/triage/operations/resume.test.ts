import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../scripts/build-constants.ts';
import { inNamespace, namespaceCommand } from '../../../test/fixtures/pid-namespace.ts';

/** An apply is killed at every STEP-th reading of the clock; an apply of three actions reads it about thirty times. */
const STEP = process.env.DEED_TEST_LONG ? 1 : 17;
/** The short suite stops after these; an apply that nothing kills is tested in test/acceptance/pt-contract.test.ts. */
const KILLS = process.env.DEED_TEST_LONG ? Infinity : 2;

describe.runIf(namespaceCommand !== null)('an apply that was killed', () => {
  it('resumes from any moment and repeats nothing', () => {
    const node = join(ROOT, 'node_modules/.bin/node');
    const script = join(ROOT, 'test/fixtures/processes/resume-drill.ts');
    const { NODE_COMPILE_CACHE = '' } = process.env;
    const { stdout, stderr } = inNamespace(
      `'${node}' '${script}' ${STEP} ${KILLS}`,
      { NODE_COMPILE_CACHE },
      900_000,
    );
    const report = JSON.parse(
      stdout.trim().split('\n').at(-1) || `{"problems":${JSON.stringify([stderr])}}`,
    ) as {
      kills: number;
      problems: string[];
    };
    expect(report.problems).toEqual([]);
    expect(report.kills).toBeGreaterThan(20 / STEP);
  }, 900_000);
});
