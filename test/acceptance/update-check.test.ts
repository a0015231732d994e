import { existsSync, linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { copiedExecutable } from '../fixtures/copied-executable.ts';
import { publish, startReleaseServer, type ReleaseServer } from '../fixtures/release-server.ts';
import { createHome, deedAsync, ROOT, type Run } from '../fixtures/run-deed.ts';
import { createSigstoreAuthority, type SigstoreAuthority } from '../fixtures/sigstore-authority.ts';
import { smallProgram } from '../fixtures/update-bench.ts';

const HERE = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;

/** The release build, which trusts the release workflow. */
describe('update in the release build', () => {
  let server: ReleaseServer;
  let authority: SigstoreAuthority;
  let copied = '';
  let home: ReturnType<typeof createHome>;
  beforeAll(async () => {
    [server, authority, copied] = await Promise.all([
      startReleaseServer(),
      createSigstoreAuthority(),
      copiedExecutable(),
    ]);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    home = createHome();
    writeFileSync(join(home.path, 'config.json'), JSON.stringify({ 'update.release_url': server.url }));
    mkdirSync(join(home.path, 'bin'));
    linkSync(copied, standalone());
  });
  afterEach(() => home.dispose());

  const publishRelease = (version: string, changelog?: string): Promise<unknown> =>
    publish(
      server,
      {
        version,
        platform: platform(),
        arch: arch(),
        content: { executable: smallProgram(version), skillFolder: join(ROOT, 'skills/deed') },
        ...(changelog !== undefined && { changelog }),
      },
      authority,
    );
  /** A standalone executable; the one in dist belongs to the checkout. */
  const standalone = (): string => join(home.path, 'bin/deed');
  const run = (...argv: string[]): Promise<Run> =>
    deedAsync(['update', ...argv], { home: home.path, executable: [standalone()] });

  it('reports a newer version, and then other commands do too', async () => {
    await publishRelease('99.0.0');
    const { code, envelope } = await run('--check');
    expect([code, envelope.data.status, envelope.data.target_version]).toEqual([
      0,
      'update_available',
      '99.0.0',
    ]);
    expect(envelope.data).toMatchObject({
      current_version: HERE,
      install_method: 'standalone',
      signature_available: true,
      notice: { severity: 'warning', recommended_command: 'deed update' },
    });
    const other = await deedAsync(['context'], { home: home.path });
    expect(other.envelope.meta.notices).toEqual([envelope.data.notice]);
    expect(other.envelope.data.notices).toEqual([envelope.data.notice]);
  });

  it('has the severity warning for a security fix and info otherwise', async () => {
    await publishRelease(bump(HERE), `## [${bump(HERE)}]\n### Security\n- Closed a hole.\n`);
    expect((await run('--check')).envelope.data.notice.severity).toBe('warning');
    await publishRelease(
      bump(HERE),
      `## [${bump(HERE)}]\n### Added\n- More.\n## [${HERE}]\n### Security\n- An old one.\n`,
    );
    expect((await run('--check')).envelope.data.notice.severity).toBe('info');
  });

  it('deletes the notice when the running version is the newest', async () => {
    await publishRelease('99.0.0');
    await run('--check');
    await publishRelease(HERE);
    const { envelope } = await run('--check');
    expect([envelope.data.status, envelope.data.notice]).toEqual(['up_to_date', undefined]);
    expect(existsSync(join(home.path, 'update-check.json'))).toBe(false);
  });

  it('rejects a release that the release workflow did not sign', async () => {
    await publishRelease('99.0.0');
    const before = statSync(standalone()).mtimeMs;
    const { code, envelope } = await run();
    expect([code, envelope.error?.code, envelope.error?.retryable]).toEqual([1, 'E_INTEGRITY', false]);
    expect(envelope.error?.details).toMatchObject({
      stage: 'verify_signature',
      current_version: HERE,
      binary_replaced: false,
    });
    expect(statSync(standalone()).mtimeMs).toBe(before);
  });

  it('changes nothing when the running version is the newest', async () => {
    await publishRelease(HERE);
    const { code, envelope } = await run();
    expect([code, envelope.data.status, envelope.data.skill_sync_status]).toEqual([
      0,
      'up_to_date',
      'not_needed',
    ]);
    expect((await run('--dry-run')).envelope.data.preview.changes).toEqual([]);
    expect((await run('--target-version', HERE)).envelope.data.status).toBe('up_to_date');
  });

  it('does not change a checkout and reports the git command', async () => {
    await publishRelease('99.0.0');
    const checked = await deedAsync(['update', '--check'], { home: home.path });
    expect(checked.envelope.data).toMatchObject({
      install_method: 'source',
      signature_available: null,
      notice: { recommended_command: 'git pull && npm ci' },
    });
    for (const flags of [[], ['--dry-run'], ['--target-version', '99.0.0']]) {
      const { code, envelope } = await deedAsync(['update', ...flags], { home: home.path });
      expect([code, envelope.error?.code]).toEqual([4, 'E_CONFIG']);
      expect(envelope.error?.message).toContain('git pull');
      expect(envelope.error?.details).toMatchObject({
        stage: 'discover',
        install_method: 'source',
        current_version: HERE,
        binary_replaced: false,
        skill_sync_status: 'not_started',
      });
    }
  });

  it('rejects a release URL without TLS', async () => {
    writeFileSync(
      join(home.path, 'config.json'),
      JSON.stringify({ 'update.release_url': 'http://example.com/releases' }),
    );
    const { code, envelope } = await run('--check');
    expect([code, envelope.error?.code]).toEqual([4, 'E_CONFIG']);
  });

  it('renders the result as text', async () => {
    await publishRelease('99.0.0');
    expect((await run('--check', '--format', 'text')).stdout).toContain('99.0.0');
  });
});

/** The next minor version. */
function bump(version: string): string {
  const [major, minor] = version.split('.').map(Number);
  return `${major}.${(minor ?? 0) + 1}.0`;
}
