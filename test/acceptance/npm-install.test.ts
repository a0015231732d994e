import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORM_PACKAGE, publishBuild } from '../fixtures/npm-packages.ts';
import { startNpmRegistry, type NpmRegistry } from '../fixtures/npm-registry.ts';
import { giveToOrdinaryAccount, ordinaryAccount } from '../fixtures/ordinary-account.ts';
import { createHome, deedAsync, executable, ROOT, VERSION, waitFor, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

const NO_NODE = '/nonexistent';
/** Two installs: one with install scripts, by an unprivileged user if there is one, and one without them. */
const HOMES = { scripts: 'theirs', launcher: 'home' } as const;
type Prefix = keyof typeof HOMES;
const THEIRS = { home: 'theirs', account: ordinaryAccount ?? {} };

/** The built packages, installed by npm from a local registry. */
describe('an install with npm', () => {
  let registry: NpmRegistry;
  let root = '';
  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'deed-npm-')));
    chmodSync(root, 0o755);
    for (const name of ['home', 'theirs', 'npx']) mkdirSync(join(root, name));
    giveToOrdinaryAccount(join(root, 'theirs'));
    registry = await startNpmRegistry();
    await publishBuild(registry, join(root, 'packages'), LONG ? 'executable' : 'placeholder');
    const global = ['install', '--global', '--prefix'];
    await Promise.all([
      npm([...global, join(root, 'theirs/prefix'), 'deed-cli'], THEIRS),
      npm([...global, join(root, 'home/prefix'), '--ignore-scripts', 'deed-cli']),
    ]);
    // npm takes seconds to pack and unpack the executable, so in the short suite it installs a script, and then the executable is written
    // into that file, which stays the same file as a hard link to it.
    if (!LONG)
      for (const prefix of Object.keys(HOMES) as Prefix[])
        copyFileSync(executable()[0], platformExecutable(prefix));
  });
  afterAll(async () => {
    await registry.close();
    rmSync(root, { recursive: true, force: true });
  });

  const start = (
    command: readonly string[],
    { path = process.env.PATH ?? '', home = 'home', account = {}, from = registry } = {},
  ): ChildProcess => {
    const [first = '', ...argv] = command;
    const env = {
      PATH: path,
      HOME: join(root, home),
      npm_config_registry: from.url,
      npm_config_cache: join(root, home, 'cache'),
    };
    return spawn(first, argv, { cwd: join(root, home), env, ...account });
  };
  /** Runs a program; asynchronously, because this process is the registry. */
  const run = (command: readonly string[], options = {}): Promise<Run> => waitFor(start(command, options));
  const npm = async (argv: readonly string[], options = {}, program = ['npm']): Promise<void> => {
    const { code, stdout, stderr } = await run([...program, ...argv, '--no-audit', '--no-fund'], options);
    if (code !== 0) throw new Error(`npm ${argv.join(' ')} failed: ${stdout}${stderr}`);
  };
  const program = (prefix: Prefix, name: string): string => join(root, HOMES[prefix], 'prefix/bin', name);
  const inPackage = (prefix: Prefix, path: string): string =>
    join(root, HOMES[prefix], 'prefix/lib/node_modules/deed-cli', path);
  const platformExecutable = (prefix: Prefix): string =>
    inPackage(prefix, join('node_modules', PLATFORM_PACKAGE, 'bin/deed'));

  it('with install scripts replaces the launcher with a hard link to the executable', async () => {
    expect(statSync(inPackage('scripts', 'dist/bin/deed')).ino).toBe(
      statSync(platformExecutable('scripts')).ino,
    );
    expect(lstatSync(inPackage('scripts', 'dist/bin/vybe')).isSymbolicLink()).toBe(true);
    const { stdout } = await run([program('scripts', 'deed'), '--version', '--format', 'raw'], {
      path: NO_NODE,
    });
    expect(stdout.trim()).toBe(VERSION);
  });

  it('without install scripts keeps the launcher', () => {
    expect(readFileSync(inPackage('launcher', 'dist/bin/deed'), 'utf8')).toMatch(
      /^#!\/usr\/bin\/env node\n/u,
    );
  });

  describe.each(['scripts', 'launcher'] as const)('started through the %s', (prefix) => {
    it('runs as each of its programs, and as deed under the name of the package', async () => {
      const names = ['deed', 'deed-cli', 'vybe', 'pt', 'ai-agent'];
      const runs = await Promise.all(names.map((name) => run([program(prefix, name), '--version'])));
      const [deed, packageName, vybe, pt, agent] = runs.map(({ stdout }) => stdout);
      expect(JSON.parse(deed ?? '')).toMatchObject({ data: { tool: 'deed', version: VERSION } });
      expect(JSON.parse(packageName ?? '')).toMatchObject({ data: { tool: 'deed' } });
      expect(JSON.parse(vybe ?? '')).toMatchObject({ success: true, data: { version: VERSION } });
      expect(JSON.parse(pt ?? '')).toMatchObject({ schema_version: '1.0.0', version: VERSION });
      expect(agent).toBe(`ai-agent ${VERSION}\n`);
    });

    it('has vybe next to the executable, for hooks on a machine without Node', async () => {
      const deed = prefix === 'launcher' ? platformExecutable(prefix) : inPackage(prefix, 'dist/bin/deed');
      const { stdout } = await run([join(dirname(deed), 'vybe'), '--version'], { path: NO_NODE });
      expect(JSON.parse(stdout)).toMatchObject({ success: true });
    });
  });

  it('is identified as an npm install when the launcher starts the executable', async () => {
    const { envelope } = await run([program('launcher', 'deed'), 'update', '--check']);
    expect(envelope.data).toMatchObject({
      status: 'up_to_date',
      install_method: 'npm-global',
      command: `npm install --global --prefix ${join(root, 'home/prefix')} deed-cli@${VERSION}`,
    });
  });

  it.runIf(LONG && ordinaryAccount !== null)('works for an unprivileged user', async () => {
    const { envelope } = await run([program('scripts', 'deed'), 'context'], THEIRS);
    expect(envelope.data).toMatchObject({ version: VERSION });
  });

  it.runIf(LONG)('works with npx without an install', async () => {
    const from = await startNpmRegistry();
    await publishBuild(from, join(root, 'npx/packages'), 'script');
    const command = ['npx', '--yes', 'deed-cli', '--version', '--format', 'raw'];
    const { stdout } = await run(command, { home: 'npx', from });
    await from.close();
    expect(stdout.trim()).toBe(VERSION);
  });

  it.runIf(LONG).each(['18', '20', '22', '24'])('works under Node %s', async (major) => {
    // These two are installed from the public registry.
    const tools = join(root, `node-${major}`);
    const packages = [`node@${major}`, 'npm@10'];
    const { code, stderr } = await waitFor(
      spawn('npm', ['install', '--prefix', tools, ...packages], { cwd: root }),
    );
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    const path = [join(tools, 'node_modules/.bin'), '/usr/bin', '/bin'].join(delimiter);
    for (const flags of [[], ['--ignore-scripts']]) {
      const prefix = join(root, `under-${major}${flags.join('')}`);
      await npm(['install', '--global', '--prefix', prefix, ...flags, 'deed-cli'], { path });
      const { envelope } = await run([join(prefix, 'bin/deed'), 'context'], { path });
      expect(envelope.data).toMatchObject({ version: VERSION });
    }
  });
});

describe('a checkout', () => {
  it('runs its executable with npx, which installs nothing', async () => {
    const home = createHome();
    const { envelope } = await deedAsync(['deed', 'context'], {
      executable: ['npx'],
      home: home.path,
      cwd: ROOT,
      env: { npm_config_update_notifier: 'false' },
    });
    const cached = existsSync(join(home.path, '.npm/_npx'));
    home.dispose();
    expect([envelope.data.version, cached]).toEqual([VERSION, false]);
  });
});
