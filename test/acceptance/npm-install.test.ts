import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  cpSync,
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
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PLATFORM_PACKAGE, publishBuild } from '../fixtures/npm-packages.ts';
import { startNpmRegistry, type NpmRegistry } from '../fixtures/npm-registry.ts';
import { giveToOrdinaryAccount, ordinaryAccount } from '../fixtures/ordinary-account.ts';
import { stalls } from '../fixtures/release-server.ts';
import { createHome, deedAsync, ROOT, waitFor, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
};
const NO_NODE = '/nonexistent';

/** The packages as they are built, installed by a real npm from a registry on this machine. */
describe('an install with npm', () => {
  let registry: NpmRegistry;
  let root = '';
  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'deed-npm-')));
    chmodSync(root, 0o755);
    for (const name of ['home', 'theirs']) mkdirSync(join(root, name));
    giveToOrdinaryAccount(join(root, 'theirs'));
    registry = await startNpmRegistry();
    await publishBuild(registry, join(root, 'packages'));
    await npm(['install', '--global', '--prefix', join(root, 'scripts'), 'deed-cli']);
    await npm(['install', '--global', '--prefix', join(root, 'launcher'), '--ignore-scripts', 'deed-cli']);
  });
  afterAll(async () => {
    await registry.close();
    rmSync(root, { recursive: true, force: true });
  });

  const start = (
    command: readonly string[],
    { path = process.env.PATH ?? '', home = 'home', account = {} } = {},
  ): ChildProcess => {
    const [first = '', ...argv] = command;
    const env = {
      PATH: path,
      HOME: join(root, home),
      npm_config_registry: registry.url,
      npm_config_cache: join(root, home, 'cache'),
    };
    return spawn(first, argv, { cwd: join(root, home), env, ...account });
  };
  /** Runs a program beside this process, which is the registry. */
  const run = (command: readonly string[], options = {}): Promise<Run> => waitFor(start(command, options));
  const npm = async (argv: readonly string[], options = {}, program = ['npm']): Promise<void> => {
    const { code, stdout, stderr } = await run([...program, ...argv, '--no-audit', '--no-fund'], options);
    if (code !== 0) throw new Error(`npm ${argv.join(' ')} failed: ${stdout}${stderr}`);
  };
  const program = (prefix: string, name: string): string => join(root, prefix, 'bin', name);
  const inPackage = (prefix: string, path: string): string =>
    join(root, prefix, 'lib/node_modules/deed-cli', path);
  const platformExecutable = (prefix: string): string =>
    inPackage(prefix, join('node_modules', PLATFORM_PACKAGE, 'bin/deed'));

  it('puts the executable in the place of the launcher, without a copy, where install scripts run', async () => {
    expect(statSync(inPackage('scripts', 'dist/bin/deed')).ino).toBe(
      statSync(platformExecutable('scripts')).ino,
    );
    expect(lstatSync(inPackage('scripts', 'dist/bin/vybe')).isSymbolicLink()).toBe(true);
    const { stdout } = await run([program('scripts', 'deed'), '--version', '--format', 'raw'], {
      path: NO_NODE,
    });
    expect(stdout.trim()).toBe(VERSION);
  });

  it('leaves the launcher where they do not', () => {
    expect(readFileSync(inPackage('launcher', 'dist/bin/deed'), 'utf8')).toMatch(
      /^#!\/usr\/bin\/env node\n/u,
    );
  });

  describe.each(['scripts', 'launcher'])('started through the %s', (prefix) => {
    it('respondsWith as each of its programs, and as deed under the name of the package', async () => {
      const version = (name: string): Promise<Run> => run([program(prefix, name), '--version']);
      expect(JSON.parse((await version('deed')).stdout)).toMatchObject({
        data: { tool: 'deed', version: VERSION },
      });
      expect(JSON.parse((await version('deed-cli')).stdout)).toMatchObject({ data: { tool: 'deed' } });
      expect(JSON.parse((await version('vybe')).stdout)).toMatchObject({
        success: true,
        data: { version: VERSION },
      });
      expect(JSON.parse((await version('pt')).stdout)).toMatchObject({
        schema_version: '1.0.0',
        version: VERSION,
      });
      expect((await version('ai-agent')).stdout).toBe(`ai-agent ${VERSION}\n`);
    });

    it('passes exit codes, input and arguments', async () => {
      expect((await run([program(prefix, 'deed'), 'no-such-command'])).code).toBe(2);
      expect((await run([program(prefix, 'ai-agent')])).code).toBe(4);
      const push = ['push', '--agent', 'a', '--request-id', `r-${prefix}`, '--json'];
      const { code, envelope } = await run([
        program(prefix, 'vybe'),
        ...push,
        '{"event":{"kind":"progress","message":"a \\" b $HOME"}}',
      ]);
      expect([code, envelope]).toMatchObject([0, { success: true }]);
      const ask = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
      const served = start([program(prefix, 'deed'), 'mcp', 'serve']);
      expect((await waitFor(served, ask)).stdout).toContain('"id":1');
    });

    it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
      'passes %s on and ends as the executable ends',
      async (signal) => {
        registry.reset();
        registry.injectFailure('document', stalls);
        const child = start([program(prefix, 'deed'), 'update', '--check']);
        const finished = waitFor(child);
        await vi.waitFor(() => expect(registry.requests).not.toEqual([]), { timeout: 60_000 });
        child.kill(signal);
        const { code, envelope } = await finished;
        registry.reset();
        expect([code, envelope.error?.code]).toEqual([130, 'E_INTERRUPTED']);
      },
    );

    it('counts as an install of npm', async () => {
      const { envelope } = await run([program(prefix, 'deed'), 'update', '--check']);
      expect(envelope.data).toMatchObject({
        status: 'up_to_date',
        install_method: 'npm-global',
        command: `npm install --global --prefix ${join(root, prefix)} deed-cli@${VERSION}`,
      });
    });

    it('has vybe beside the executable, for hooks of a host without Node', async () => {
      const beside = prefix === 'launcher' ? platformExecutable(prefix) : inPackage(prefix, 'dist/bin/deed');
      const { stdout } = await run([join(dirname(beside), 'vybe'), '--version'], { path: NO_NODE });
      expect(JSON.parse(stdout)).toMatchObject({ success: true });
    });
  });

  it('has an answer in the form of each program where its platform package is missing', async () => {
    cpSync(inPackage('launcher', 'dist'), join(root, 'bare/dist'), { recursive: true });
    const answer = (name: string): Promise<Run> => run([join(root, 'bare/dist/bin', name), 'whatever']);
    const deed = await answer('deed');
    expect([deed.code, deed.envelope]).toMatchObject([
      4,
      { ok: false, error: { code: 'E_CONFIG', details: { package: PLATFORM_PACKAGE }, retryable: false } },
    ]);
    expect(deed.envelope.error?.message).toContain('--include=optional');
    const [vybe, pt, agent] = await Promise.all([answer('vybe'), answer('pt'), answer('ai-agent')]);
    expect([vybe.code, JSON.parse(vybe.stdout)]).toMatchObject([
      1,
      { success: false, error_code: 'E_CONFIG' },
    ]);
    expect([pt.code, JSON.parse(pt.stdout)]).toMatchObject([10, { error: { code: 'INTERNAL_ERROR' } }]);
    expect([agent.code, agent.stdout, agent.stderr]).toEqual([
      4,
      '',
      expect.stringContaining(PLATFORM_PACKAGE),
    ]);
  });

  it('leads to WSL on Windows', async () => {
    const launcher = inPackage('launcher', 'dist/launcher/launcher.cjs');
    const script = `Object.defineProperty(process, 'platform', { value: 'win32' });
      require(${JSON.stringify(launcher)}).launch('deed');`;
    const { code, envelope } = await run(['node', '--eval', script]);
    expect([code, envelope.error?.code]).toEqual([4, 'E_CONFIG']);
    expect(envelope.error?.message).toContain('WSL');
  });

  it.skipIf(ordinaryAccount === null)('works for an ordinary user', async () => {
    const options = { home: 'theirs', account: ordinaryAccount ?? {} };
    await npm(['install', '--global', '--prefix', join(root, 'theirs/prefix'), 'deed-cli'], options);
    const { envelope } = await run([program('theirs/prefix', 'deed'), 'context'], options);
    expect(envelope.data).toMatchObject({ version: VERSION });
  });

  it('is not needed for npx', async () => {
    const { stdout } = await run(['npx', '--yes', 'deed-cli', '--version', '--format', 'raw']);
    expect(stdout.trim()).toBe(VERSION);
  });

  it.runIf(LONG).each(['18', '20', '22', '24'])('works under Node %s', async (major) => {
    // These two come from the public registry.
    const tools = join(root, `node-${major}`);
    const packages = [`node@${major}`, 'npm@10'];
    const { code, stderr } = await waitFor(
      spawn('npm', ['install', '--prefix', tools, ...packages], { cwd: root }),
    );
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    const path = [join(tools, 'node_modules/.bin'), '/usr/bin', '/bin'].join(delimiter);
    for (const flags of [[], ['--ignore-scripts']]) {
      const prefix = `under-${major}${flags.join('')}`;
      await npm(['install', '--global', '--prefix', join(root, prefix), ...flags, 'deed-cli'], { path });
      const { envelope } = await run([program(prefix, 'deed'), 'context'], { path });
      expect(envelope.data).toMatchObject({ version: VERSION });
    }
  });
});

describe('a checkout', () => {
  it('runs its executable with npx, which installs nothing for it', async () => {
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
