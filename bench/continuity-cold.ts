import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../scripts/build-constants.ts';
import { measure, medianOf, ratioOf } from './measure.ts';
import type { Report } from './report.ts';

const HELLO = 'compiled bun hello';
const BARE = 'bare program that writes as durably';
const PUSH = 'vybe push';

/** How long a push takes from nothing to its answer, against the least that a compiled program can do. */
export async function continuityCold(): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  try {
    const [source, hello] = [join(folder, 'hello.ts'), join(folder, 'hello')];
    writeFileSync(source, "console.log('hello');\n");
    const bare = join(folder, 'bare');
    compile(source, hello);
    compile(join(ROOT, 'bench/bare-durable-write.ts'), bare);
    // Two fresh executables are waiting to be written to disk; what is measured must not wait behind them.
    execFileSync('sync');
    const run = (program: string, ...argv: string[]): void => {
      const { status } = spawnSync(program, argv, {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder },
        stdio: 'ignore',
      });
      if (status !== 0) throw new Error(`${program} ended with ${status}`);
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
        note: `Ratio to \`${HELLO}\`, 30 rounds in turn; the audit log and the store are on disk when it answers.`,
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
