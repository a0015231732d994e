import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../scripts/build-constants.ts';
import { inNamespace, namespaceCommand } from '../../../test/fixtures/pid-namespace.ts';

/** Every so many looks at the clock a run is killed; a run of three actions takes about thirty. */
const STEP = process.env.DEED_TEST_LONG ? 1 : 4;

describe.runIf(namespaceCommand !== null)('a run that is killed', () => {
  it('goes on where it was, at whatever moment it was killed, and does nothing twice', () => {
    const node = join(ROOT, 'node_modules/.bin/node');
    const script = join(ROOT, 'test/fixtures/processes/resume-drill.ts');
    const { NODE_COMPILE_CACHE = '' } = process.env;
    const { stdout, stderr } = inNamespace(`'${node}' '${script}' ${STEP}`, { NODE_COMPILE_CACHE }, 900_000);
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
