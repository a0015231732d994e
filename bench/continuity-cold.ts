import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../scripts/build-constants.ts';
import { measure, medianOf, ratioOf } from './measure.ts';
import type { Report } from './report.ts';

const HELLO = 'compiled bun hello';
const BARE = 'minimal program with the same durable write';
const PUSH = 'vybe push';

/** Measures a push from process start to answer, relative to a minimal compiled program. */
export async function continuityCold(): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  try {
    const [source, hello] = [join(folder, 'hello.ts'), join(folder, 'hello')];
    writeFileSync(source, "console.log('hello');\n");
    const bare = join(folder, 'bare');
    compile(source, hello);
    compile(join(ROOT, 'bench/bare-durable-write.ts'), bare);
    // Flush the two new executables to disk first, so that their writeback does not slow down the measurement.
    execFileSync('sync');
    const run = (program: string, ...argv: string[]): void => {
      const { status } = spawnSync(program, argv, {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder },
        stdio: 'ignore',
      });
      if (status !== 0) throw new Error(`${program} exited with ${status}`);
    };
    const vybe = join(ROOT, 'dist/bin/vybe');
    let count = 0;
    const times = await measure(
      [
        { name: HELLO, run: () => run(hello) },
        { name: BARE, run: () => run(bare, folder) },
        {
          name: PUSH,
          run: () =>
            run(
              vybe,
              'push',
              '--agent',
              'bench',
              '--request-id',
              `bench_${(count += 1)}`,
              '--json',
              '{"event":{"kind":"progress","message":"x"}}',
            ),
        },
      ],
      30,
    );
    const rows = [HELLO, BARE, PUSH].map((name) => ({
      name,
      milliseconds: medianOf(times, name),
      ratio: ratioOf(times, name, HELLO),
    }));
    return [
      {
        title: 'Push, cold',
        note: `Ratio to \`${HELLO}\`, 30 interleaved rounds; the audit log and the store are flushed to disk before the answer.`,
        rows: rows.map((row) => (row.name === PUSH ? { ...row, target: 3.5 } : row)),
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compile(source: string, program: string): void {
  const flags = ['--compile', '--bytecode', '--format=esm', '--outfile', program];
  execFileSync(join(ROOT, 'node_modules/.bin/bun'), ['build', source, ...flags], { stdio: 'ignore' });
}
