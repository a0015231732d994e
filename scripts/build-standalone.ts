/** Builds the standalone executable with bun: one file, no Node, started as deed, vybe, pt or ai-agent. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ROOT } from './build-constants.ts';
import { bundle } from './bundle.ts';

export interface StandaloneOptions {
  readonly outfile: string;
  readonly define?: Readonly<Record<string, string>>;
  /** Whether the code is laid out by how it is used, which takes a second build and a run of the usual calls. */
  readonly ordered?: boolean;
}

/** The program, and the entrypoints it may start: they are named too, so that their common part becomes the one chunk of every start. */
export const STANDALONE_ENTRIES = {
  deed: 'src/bin/standalone.ts',
  'deed-entrypoint': 'src/entrypoints/cli/deed.ts',
  'vybe-entrypoint': 'src/entrypoints/cli/vybe.ts',
  'pt-entrypoint': 'src/entrypoints/cli/pt.ts',
  'ai-agent-entrypoint': 'src/entrypoints/cli/ai-agent.ts',
};

/** What a folder brings along must never run inside the executable that is started there, so loading it is compiled out. */
const SAFE_FLAGS = [
  '--no-compile-autoload-bunfig',
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-tsconfig',
  '--no-compile-autoload-package-json',
];

/**
 * How many times as often as usual a function must run before it is compiled. Most calls end before that pays; the program goes back to
 * the usual measure when it runs for longer.
 */
const RELUCTANCE = 16;

/** Bundles the source, so that a start loads few chunks, and compiles the bundle. */
export async function buildStandalone({
  outfile,
  define,
  ordered = false,
}: StandaloneOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-build-'));
  try {
    await bundle({
      entries: STANDALONE_ENTRIES,
      folder,
      format: 'esm',
      define: { __DEED_STANDALONE__: 'true', ...define },
    });
    mkdirSync(dirname(outfile), { recursive: true });
    compile(folder, outfile, []);
    const orders = ordered ? recordOrder(folder, outfile) : [];
    if (orders.length > 0) compile(folder, outfile, ['--bytecode-order', orders.join(',')]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compile(folder: string, outfile: string, flags: readonly string[]): void {
  execFileSync(
    `${ROOT}node_modules/.bin/bun`,
    [
      'build',
      'deed.js',
      '--compile',
      '--bytecode',
      '--minify',
      '--format=esm',
      '--splitting',
      '--external=koffi',
      `--compile-jit-policy=${RELUCTANCE}`,
      ...SAFE_FLAGS,
      ...flags,
      '--outfile',
      outfile,
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

/** What agents call most, the shortest first. */
const USUAL_CALLS: readonly (readonly [string, ...string[]])[] = [
  ['deed', 'context'],
  [
    'vybe',
    'push',
    '--agent',
    'a',
    '--request-id',
    'r',
    '--json',
    '{"event":{"kind":"progress","message":"x"}}',
  ],
  ['vybe', 'resume', '--agent', 'a', '--request-id', 's'],
  ['pt', 'agent', 'plan', '--window', '50ms'],
];

/**
 * Runs the usual calls and has each write down which functions it used, so that those can lie together where they are read first. One
 * that cannot run where this is built only leaves its functions where they are.
 */
function recordOrder(folder: string, program: string): readonly string[] {
  return USUAL_CALLS.flatMap(([name, ...argv], index) => {
    const [order, link] = [join(folder, `order-${index}`), join(folder, name)];
    rmSync(link, { force: true });
    symlinkSync(resolve(program), link);
    const env = { PATH: process.env.PATH, HOME: folder, BUN_BYTECODE_ORDER_OUT: order };
    spawnSync(link, argv, { cwd: folder, env, stdio: 'ignore' });
    return existsSync(order) ? [order] : [];
  });
}

if (import.meta.main) {
  const folder = `${ROOT}dist/standalone`;
  await buildStandalone({ outfile: `${folder}/deed`, ordered: true });
  for (const name of ['vybe', 'pt', 'ai-agent']) {
    rmSync(`${folder}/${name}`, { force: true });
    symlinkSync('deed', `${folder}/${name}`);
  }
}
