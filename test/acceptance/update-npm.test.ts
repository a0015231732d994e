import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { assembleLauncher } from '../../scripts/pack-npm.ts';
import { copiedExecutable } from '../fixtures/copied-executable.ts';
import { PLATFORM_PACKAGE, publishSmall } from '../fixtures/npm-packages.ts';
import { startNpmRegistry, type NpmRegistry } from '../fixtures/npm-registry.ts';
import { respondsWith, stalls } from '../fixtures/release-server.ts';
import {
  deed,
  deedAsync,
  startDeed,
  VERSION,
  waitFor,
  type Run,
  type RunOptions,
} from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

const OLD = VERSION;
const NEW = '99.0.0';

describe('update of an npm install', () => {
  let registry: NpmRegistry;
  let packages = '';
  let root = '';
  let copied = '';
  beforeAll(async () => {
    [registry, copied] = await Promise.all([startNpmRegistry(), copiedExecutable()]);
    packages = mkdtempSync(join(tmpdir(), 'deed-packages-'));
  });
  afterAll(async () => {
    rmSync(packages, { recursive: true });
    await registry.close();
  });
  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'deed-npm-')));
    mkdirSync(join(root, 'home'));
    // The changelog for the severity is not available.
    writeFileSync(join(root, 'home/config.json'), '{"update.release_url":"http://127.0.0.1:9/releases"}');
    registry.reset();
    await publishSmall(registry, packages, NEW);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const place = (path: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    linkSync(copied, path);
  };
  /** Installs this build in the layout of npm, with the executable instead of the launcher. */
  const install = (modules: string): string => {
    const packageRoot = join(root, modules, 'deed-cli');
    place(join(packageRoot, 'dist/bin/deed'));
    writeFileSync(
      join(packageRoot, 'package.json'),
      JSON.stringify({ name: 'deed-cli', version: OLD, type: 'module' }),
    );
    return packageRoot;
  };
  const options = (packageRoot: string, env: Record<string, string> = {}): RunOptions => ({
    home: join(root, 'home'),
    executable: [join(packageRoot, 'dist/bin/deed')],
    env: { npm_config_registry: registry.url, ...env },
  });
  const run = (packageRoot: string, argv: string[], env?: Record<string, string>): Promise<Run> =>
    deedAsync(argv, options(packageRoot, env));
  const installedVersion = (packageRoot: string): string =>
    (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;
  const leftovers = (): string[] =>
    readdirSync(join(root, 'home')).filter((name) => name.startsWith('update'));
  const skill = (): string | undefined => {
    const path = join(root, 'home/.agents/skills/deed/SKILL.md');
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };

  it('installs the new version globally with npm and syncs its Skill, regardless of an .npmrc in the working directory', async () => {
    const packageRoot = install('prefix/lib/node_modules');
    const untrusted = join(root, 'untrusted');
    mkdirSync(untrusted);
    writeFileSync(join(untrusted, '.npmrc'), 'registry=http://127.0.0.1:9/\n');
    writeFileSync(join(root, 'home/.npmrc'), `registry=${registry.url}\n`);
    const { env: _, ...rest } = options(packageRoot);
    const { code, envelope } = await deedAsync(['update'], { ...rest, cwd: untrusted });
    expect(envelope.data).toEqual({
      status: 'updated',
      previous_version: OLD,
      current_version: NEW,
      target_version: NEW,
      latest_version: NEW,
      update_available: false,
      install_method: 'npm-global',
      command: `npm install --global --prefix ${join(root, 'prefix')} deed-cli@${NEW}`,
      release_url: `http://127.0.0.1:9/releases/tag/v${NEW}`,
      binary_replaced: true,
      signature_verified: false,
      signature_status: 'not_checked',
      verification: null,
      skill_sync_supported: true,
      skill_sync_status: 'synced',
      skill_sync_command: 'npx skills add deed-cli/deed -y -g',
      skill_folders: [join(root, 'home/.agents/skills/deed')],
      hint: `Run "deed changelog --since ${OLD}" to see what changed.`,
      next_steps: [{ action: 'read_changelog', command: `deed changelog --since ${OLD}` }],
    });
    expect([code, installedVersion(packageRoot), skill()]).toEqual([0, NEW, `the Skill of ${NEW}`]);
    expect(readdirSync(join(root, 'prefix/bin'))).toContain('deed');
  });

  it.runIf(LONG)(
    'of a local install runs npm in the project, when the launcher starts the executable of the platform package',
    async () => {
      const packageRoot = install('project/node_modules');
      place(join(root, 'project/node_modules', PLATFORM_PACKAGE, 'bin/deed'));
      await assembleLauncher(join(packageRoot, 'dist'));
      writeFileSync(
        join(root, 'project/package.json'),
        JSON.stringify({ name: 'project', devDependencies: { 'deed-cli': OLD } }),
      );
      const { envelope } = await run(packageRoot, ['update', '--target-version', NEW]);
      expect(envelope.data).toMatchObject({
        status: 'updated',
        install_method: 'npm-local',
        current_version: NEW,
        skill_sync_status: 'synced',
      });
      const manifest = JSON.parse(readFileSync(join(root, 'project/package.json'), 'utf8')) as {
        devDependencies: object;
      };
      expect([installedVersion(packageRoot), manifest.devDependencies]).toEqual([
        NEW,
        { 'deed-cli': `^${NEW}` },
      ]);
      const installed = join(root, 'project/node_modules/.bin/deed');
      expect(deed([], { executable: [installed] }).stdout).toBe(`${NEW}\n`);
    },
  );

  it.runIf(LONG)('installs nothing when the registry has no executable for this platform', async () => {
    registry.unpublish(PLATFORM_PACKAGE);
    const packageRoot = install('prefix/lib/node_modules');
    const { code, envelope } = await run(packageRoot, ['update']);
    expect([code, envelope.error?.code]).toEqual([4, 'E_CONFIG']);
    expect(envelope.error?.details).toMatchObject({ stage: 'download', binary_replaced: false });
    expect([installedVersion(packageRoot), leftovers()]).toEqual([OLD, []]);
  });

  it('changes nothing when there is no newer version', async () => {
    registry.unpublish('deed-cli');
    await publishSmall(registry, packages, OLD);
    const packageRoot = install('prefix/lib/node_modules');
    const { envelope } = await run(packageRoot, ['update']);
    expect(envelope.data).toMatchObject({
      status: 'up_to_date',
      binary_replaced: false,
      skill_sync_status: 'not_needed',
    });
    expect(registry.requests.filter((name) => name.includes('@', 1))).toEqual([]);
    expect(skill()).toBeUndefined();
  });

  it('with --check uses the version for the severity if the changelog cannot be read', async () => {
    const packageRoot = install('prefix/lib/node_modules');
    const { envelope, stderr } = await run(packageRoot, ['update', '--check']);
    expect(envelope.data).toMatchObject({
      status: 'update_available',
      update_available: true,
      target_version: NEW,
      signature_available: null,
      notice: { severity: 'warning', install_method: 'npm-global', recommended_command: 'deed update' },
    });
    expect(stderr).toContain('changelog of the release could not be read');
    expect(installedVersion(packageRoot)).toBe(OLD);
  });

  // Every error code of npm is tested in src/release/run-npm.test.ts.
  it.runIf(LONG)('maps the error codes of npm and the registry', async () => {
    const packageRoot = install('prefix/lib/node_modules');
    const damaged = (_: unknown, response: { end: (text: string) => void }): void =>
      response.end('not the tarball');
    const unreachable = { npm_config_registry: 'http://127.0.0.1:9/' };
    const cases: [string, string, () => Promise<Run> | void][] = [
      ['discover', 'E_NOT_FOUND', () => run(packageRoot, ['update', '--target-version', '98.0.0'])],
      ['discover', 'E_CONFIG', () => run(packageRoot, ['update'], { PATH: '/nonexistent' })],
      ['download', 'E_INTEGRITY', () => registry.injectFailure('tarball', damaged)],
    ];
    if (LONG)
      cases.push(
        ['discover', 'E_NETWORK', () => run(packageRoot, ['update'], unreachable)],
        ['discover', 'E_SERVER', () => registry.injectFailure('document', respondsWith(500))],
        ['discover', 'E_AUTH', () => registry.injectFailure('document', respondsWith(401))],
      );
    for (const [stage, code, inject] of cases) {
      registry.reset();
      const { envelope } = (await inject()) ?? (await run(packageRoot, ['update']));
      expect([stage, envelope.error?.code]).toEqual([stage, code]);
      expect(envelope.error?.details).toMatchObject({
        stage,
        current_version: OLD,
        binary_replaced: false,
        skill_sync_status: 'not_started',
      });
      if (stage === 'download') expect(envelope.error?.details.command).toContain(`deed-cli@${NEW}`);
      expect(installedVersion(packageRoot)).toBe(OLD);
    }
  });

  it('stops npm when it is interrupted during the download, and nothing has changed', async () => {
    registry.injectFailure('tarball', stalls);
    const packageRoot = install('prefix/lib/node_modules');
    const child = startDeed(['update'], options(packageRoot));
    const finished = waitFor(child);
    await vi.waitFor(() => expect(registry.requests).toContain(`deed-cli@${NEW}`), { timeout: 100_000 });
    child.kill('SIGINT');
    const { code, envelope } = await finished;
    expect([code, envelope.error?.code]).toEqual([130, 'E_INTERRUPTED']);
    expect(envelope.error?.details).toMatchObject({
      stage: 'download',
      current_version: OLD,
      binary_replaced: false,
      install_damaged: false,
    });
    expect([installedVersion(packageRoot), leftovers()]).toEqual([OLD, []]);
  });

  it.runIf(LONG).each([0, 150, 300])(
    'leaves a complete package when it is interrupted %i ms into the install',
    async (delayMs) => {
      const packageRoot = install('prefix/lib/node_modules');
      const child = startDeed(['update'], options(packageRoot));
      const finished = waitFor(child);
      let stderr = '';
      child.stderr?.on('data', (text: string) => (stderr += text));
      await vi.waitFor(() => expect(stderr).toContain('(replace)'), { timeout: 100_000, interval: 5 });
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      child.kill('SIGINT');
      const { code, envelope } = await finished;
      expect([code, envelope.error?.code]).toEqual([130, 'E_INTERRUPTED']);
      const { details } = envelope.error ?? {};
      expect([details.current_version, details.binary_replaced, details.install_damaged]).toEqual([
        installedVersion(packageRoot),
        details.current_version === NEW,
        false,
      ]);
      expect(leftovers()).toEqual([]);
    },
  );

  it.runIf(LONG)('reports a failed Skill sync as a partial success', async () => {
    const packageRoot = install('prefix/lib/node_modules');
    writeFileSync(join(root, 'home/.agents'), 'in the way');
    const { code, envelope } = await run(packageRoot, ['update']);
    expect([code, envelope.error?.code]).toEqual([7, 'E_SKILL_SYNC']);
    expect(envelope.error?.details).toMatchObject({
      stage: 'skill_sync',
      current_version: NEW,
      binary_replaced: true,
      skill_sync_status: 'failed',
      skill_sync_command: 'npx skills add deed-cli/deed -y -g',
    });
    expect(installedVersion(packageRoot)).toBe(NEW);
  });
});
