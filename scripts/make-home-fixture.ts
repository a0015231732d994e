/**
 * Creates test/fixtures/0.1.0/home.tar.gz: a home of deed 0.1.0, written by the released program for Node
 * (test/fixtures/0.1.0/program.tar.br). Run once, as root on Linux: `node scripts/make-home-fixture.ts`. It runs in separate namespaces, so
 * that triage sees only the processes of the fixture. The keys and secrets in the result exist only in this fixture.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { HOME_FIXTURE_ROOT, unpackProgram } from '../test/fixtures/release-0.1.0.ts';
import { ROOT } from './build-constants.ts';
import { fillHome, type FixtureMachine } from './fill-home-fixture.ts';

const INSIDE = 'DEED_FIXTURE_NAMESPACE';
const OUTPUT = `${ROOT}test/fixtures/0.1.0/home.tar.gz`;
const at = (...names: string[]): string => join(HOME_FIXTURE_ROOT, ...names);

/** Sets the clock of a Node process to the time in FIXTURE_NOW. */
const CLOCK = `
const offset = Date.parse(process.env.FIXTURE_NOW) - Date.now();
const RealDate = Date;
globalThis.Date = class Date extends RealDate {
  constructor(...args) { args.length === 0 ? super(RealDate.now() + offset) : super(...args); }
  static now() { return RealDate.now() + offset; }
};
`;

function enterNamespaces(): void {
  const inside = 'hostname fixture-host && "$@"; exit $?';
  const { status } = spawnSync(
    'unshare',
    ['-pfuC', '--mount-proc', 'sh', '-c', inside, 'sh', process.execPath, import.meta.filename],
    { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } },
  );
  process.exitCode = status ?? 1;
}

function createMachine(): FixtureMachine {
  rmSync(HOME_FIXTURE_ROOT, { recursive: true, force: true });
  for (const folder of ['user', 'app', 'node/bin', 'scratch']) mkdirSync(at(folder), { recursive: true });
  const packageRoot = at('node/lib/node_modules/deed-cli');
  unpackProgram(packageRoot);
  // The program calls the C library through koffi, if it is installed.
  for (const name of ['koffi', '@koromix'])
    if (existsSync(`${ROOT}node_modules/${name}`))
      cpSync(`${ROOT}node_modules/${name}`, at('node/lib/node_modules', name), { recursive: true });
  copyFileSync(process.execPath, at('node/bin/node'));
  writeFileSync(at('scratch/clock.cjs'), CLOCK);
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  };
  let calls = 0;
  const env = { PATH: '/usr/bin:/bin', HOME: at('user'), LANG: 'C.UTF-8' };
  return {
    at,
    write,
    git: (...args) =>
      void execFileSync(
        'git',
        ['-c', 'user.name=App', '-c', 'user.email=app@example.org', '-c', 'gc.auto=0', ...args],
        {
          cwd: at('app'),
          env: {
            ...env,
            GIT_CONFIG_NOSYSTEM: '1',
            GIT_AUTHOR_DATE: '2026-09-01T00:00:00Z',
            GIT_COMMITTER_DATE: '2026-09-01T00:00:00Z',
          },
        },
      ),
    run: (program, day, argv, options = {}) => {
      // Each call is ten seconds after the previous one.
      const now = new Date(Date.parse(day) + (calls += 1) * 10_000).toISOString();
      const { stdout, stderr, status } = spawnSync(
        at('node/bin/node'),
        ['--require', at('scratch/clock.cjs'), join(packageRoot, 'dist/bin', `${program}.cjs`), ...argv],
        {
          cwd: at('app'),
          env: { ...env, FIXTURE_NOW: now, ...options.env },
          input: options.input ?? '',
          encoding: 'utf8',
        },
      );
      if (status !== (options.exit ?? 0))
        throw new Error(`${program} ${argv.join(' ')}: exit ${status}\n${stdout}\n${stderr}`);
      return JSON.parse(stdout || 'null') as never;
    },
  };
}

function pack(): void {
  const archive = execFileSync(
    'tar',
    [
      '--sort=name',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mtime=2026-10-12 00:00:00Z',
      '-cf',
      '-',
      'user',
      'app',
    ],
    { cwd: HOME_FIXTURE_ROOT, maxBuffer: 64 * 1024 * 1024 },
  );
  writeFileSync(OUTPUT, gzipSync(archive, { level: 9 }));
  console.log(`${OUTPUT}: ${archive.length} bytes before compression`);
}

if (process.env[INSIDE] === undefined) enterNamespaces();
else {
  fillHome(createMachine());
  pack();
  rmSync(HOME_FIXTURE_ROOT, { recursive: true });
}
