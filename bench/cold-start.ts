import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../scripts/build-constants.ts';
import { assembleLauncher } from '../scripts/pack-npm.ts';
import { measure, medianOf, ratioOf, type Case } from './measure.ts';
import type { Report, Row } from './report.ts';

const ROUNDS = 40;
const BIN = join(ROOT, 'node_modules/.bin');
const NODE = join(BIN, 'node');
const EXECUTABLE = join(ROOT, 'dist/bin/deed');

const BARE_NODE = 'node -e 0';
const BARE_BUN = 'compiled bun hello';

/** Programs that are started as often, for comparison; those that are not installed are skipped. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  'git --version': ['git', '--version'],
  'npm --version': ['npm', '--version'],
  'oxlint --version': [NODE, join(BIN, 'oxlint'), '--version'],
  'vitest --version': [NODE, join(BIN, 'vitest'), '--version'],
};

/** How long the shortest useful command takes from start to answer, compared to the bare runtimes. */
export async function coldStart(): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  try {
    const start = (name: string, command: readonly string[]): Case => ({
      name,
      run: () => run(command, folder),
    });
    const executable = [
      start(BARE_BUN, [compileHello(folder)]),
      start('deed context', [EXECUTABLE, 'context']),
      start('deed --version', [EXECUTABLE, '--version']),
    ];
    const launcher = [
      start(BARE_NODE, [NODE, '-e', '0']),
      start('deed context', [NODE, await installLauncher(folder), 'context']),
    ];
    const peers = Object.entries(PEERS)
      .filter(([, command]) => isInstalled(command, folder))
      .map(([name, command]) => start(name, command));
    return [
      await report('Cold start, executable', executable, BARE_BUN, { 'deed context': 2.5 }),
      await report('Cold start, launcher of the npm package', [...launcher, ...peers], BARE_NODE, {
        'deed context': 2,
      }),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function report(
  title: string,
  cases: readonly Case[],
  baseline: string,
  targets: Readonly<Record<string, number>>,
): Promise<Report> {
  const times = await measure(cases, ROUNDS);
  const rows = cases.map(({ name }): Row => {
    const target = targets[name];
    const row = { name, milliseconds: medianOf(times, name), ratio: ratioOf(times, name, baseline) };
    return target === undefined ? row : { ...row, target };
  });
  return { title, note: `Ratio to \`${baseline}\`, ${ROUNDS} alternating rounds.`, rows };
}

function run(command: readonly string[], folder: string): void {
  const [program = '', ...args] = command;
  const { status, error } = spawnSync(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: 'ignore',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command.join(' ')} exited with ${status}`);
}

function isInstalled(command: readonly string[], folder: string): boolean {
  try {
    run(command, folder);
    return true;
  } catch {
    return false;
  }
}

/** Installs the launcher as npm does without install scripts. */
async function installLauncher(folder: string): Promise<string> {
  const bin = join(folder, `node_modules/@deed-cli/${process.platform}-${process.arch}/bin`);
  mkdirSync(bin, { recursive: true });
  symlinkSync(EXECUTABLE, join(bin, 'deed'));
  await assembleLauncher(join(folder, 'node_modules/deed-cli/dist'));
  return join(folder, 'node_modules/deed-cli/dist/bin/deed');
}

/** The smallest compiled program. */
function compileHello(folder: string): string {
  const [source, program] = [join(folder, 'hello.ts'), join(folder, 'hello')];
  writeFileSync(source, "console.log('hello');\n");
  const flags = ['--compile', '--bytecode', '--format=esm', '--outfile', program];
  execFileSync(join(BIN, 'bun'), ['build', source, ...flags], { stdio: 'ignore' });
  return program;
}
