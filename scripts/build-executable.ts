/**
 * Builds the executable with bun: one file that runs as deed, vybe, pt or ai-agent, by the name it is started under.
 *   node scripts/build-executable.ts                       for this machine, into dist/bin with links and licences
 *   node scripts/build-executable.ts <target> <outfile>    for one of the platforms in scripts/platforms.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { PROGRAM_NAMES } from '../src/system/program-names.ts';
import { readSkillFiles } from '../src/release/skill-files.ts';
import { buildConstants, ROOT } from './build-constants.ts';
import { buildWeb } from './build-web.ts';
import { bundle } from './bundle.ts';
import { fetchRuntime } from './fetch-runtime.ts';
import { hardenRuntime } from './harden-runtime.ts';
import { findPlatform, type Platform } from './platforms.ts';
import { LICENCES_NAME, renderLicences } from './third-party-licences.ts';

export interface ExecutableOptions {
  readonly outfile: string;
  /** The target platform; by default this machine. */
  readonly platform?: Platform | undefined;
}

interface CompileOptions extends ExecutableOptions {
  /** Constants that the bundle left open. */
  readonly define?: Readonly<Record<string, string>>;
  readonly bytecode?: boolean;
}

/** The program and its entrypoints, which are listed so that their common code becomes one chunk. */
const EXECUTABLE_ENTRIES = {
  deed: 'src/bin/deed.ts',
  'deed-entrypoint': 'src/entrypoints/cli/deed.ts',
  'vybe-entrypoint': 'src/entrypoints/cli/vybe.ts',
  'pt-entrypoint': 'src/entrypoints/cli/pt.ts',
  'ai-agent-entrypoint': 'src/entrypoints/cli/ai-agent.ts',
};

/**
 * Multiplies the JIT thresholds of the runtime. Most commands end before compiled code pays for its compilation; code that runs for seconds is
 * still compiled.
 */
const JIT_THRESHOLD_SCALE = 20;

/** The web pages, built once for all platforms. */
let built: ReturnType<typeof buildWeb> | undefined;
const web = (): ReturnType<typeof buildWeb> => (built ??= buildWeb());

/** Runtime configuration of the current folder must never run inside the executable, so loading it is disabled at build time. */
const SAFE_FLAGS = [
  '--no-compile-autoload-bunfig',
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-tsconfig',
  '--no-compile-autoload-package-json',
];

/** Bundles the source of the executable and its web pages, unless they are given, into a folder, in chunks. */
export async function bundleExecutable(
  folder: string,
  define?: Readonly<Record<string, string>>,
): ReturnType<typeof bundle> {
  const assets = define?.__DEED_WEB_ASSETS__ ?? JSON.stringify((await web()).assets);
  return bundle({
    entries: EXECUTABLE_ENTRIES,
    folder,
    format: 'esm',
    define: {
      __DEED_EXECUTABLE__: 'true',
      __DEED_WEB_ASSETS__: assets,
      __DEED_SKILL__: JSON.stringify(readSkill()),
      ...define,
    },
  });
}

/** The files of the Skill as text, by path. */
function readSkill(): Readonly<Record<string, string>> {
  const files = readSkillFiles(join(ROOT, 'skills/deed')).map(
    ({ path, content }) => [path, content.toString('utf8')] as const,
  );
  return Object.fromEntries(files.toSorted(([one], [two]) => (one < two ? -1 : 1)));
}

/** Bundles and compiles the source. Returns the bundled modules. */
export async function buildExecutable({ outfile, platform }: ExecutableOptions): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-build-'));
  try {
    const chunks = await bundleExecutable(
      folder,
      platform?.libc === 'musl' ? buildConstants({}, 'musl') : {},
    );
    compileBundle(folder, { outfile, platform });
    return [...chunks.flatMap(({ moduleIds }) => moduleIds), ...(await web()).modules];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Compiles a bundle of the source into an executable. */
export function compileBundle(
  folder: string,
  { outfile, platform, define = {}, bytecode = true }: CompileOptions,
): void {
  mkdirSync(dirname(outfile), { recursive: true });
  const bun = join(ROOT, 'node_modules/.bin/bun');
  const runtime = hardenRuntime(platform === undefined ? realpathSync(bun) : fetchRuntime(platform));
  const target = [
    ...(platform === undefined ? [] : [`--target=${platform.bunTarget}`]),
    `--compile-executable-path=${runtime}`,
  ];
  execFileSync(
    bun,
    [
      'build',
      'deed.js',
      '--compile',
      ...(bytecode ? ['--bytecode'] : []),
      '--minify',
      '--format=esm',
      '--splitting',
      `--compile-jit-policy=${JIT_THRESHOLD_SCALE}`,
      '--external=koffi',
      ...Object.entries(define).flatMap(([name, value]) => ['--define', `${name}=${value}`]),
      ...SAFE_FLAGS,
      ...target,
      '--outfile',
      resolve(outfile),
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

async function main([target, outfile]: readonly string[]): Promise<void> {
  if (target !== undefined && outfile !== undefined) {
    await buildExecutable({ outfile, platform: findPlatform(target) });
    return;
  }
  const folder = join(ROOT, 'dist/bin');
  rmSync(folder, { recursive: true, force: true });
  const modules = await buildExecutable({ outfile: join(folder, 'deed') });
  for (const name of PROGRAM_NAMES.filter((program) => program !== 'deed'))
    symlinkSync('deed', join(folder, name));
  writeFileSync(join(folder, LICENCES_NAME), renderLicences(modules));
  linkForNpx();
}

/** npx finds the programs here. If package.json listed them, npx would install the checkout into its cache and build it again. */
function linkForNpx(): void {
  for (const name of PROGRAM_NAMES) {
    const link = join(ROOT, 'node_modules/.bin', name);
    rmSync(link, { force: true });
    symlinkSync(`../../dist/bin/${name}`, link);
  }
}

if (import.meta.main) await main(process.argv.slice(2));
