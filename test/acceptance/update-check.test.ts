import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publish, startReleaseServer, type ReleaseServer } from '../fixtures/release-server.ts';
import { createHome, deedAsync, executable, ROOT, type Run } from '../fixtures/run-deed.ts';
import { createSigstoreAuthority, type SigstoreAuthority } from '../fixtures/sigstore-authority.ts';
import { smallProgram } from '../fixtures/update-bench.ts';

const HERE = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;

/** The build as it ships, with the trust it ships with. */
describe('update, as it is built for release,', () => {
  let server: ReleaseServer;
  let authority: SigstoreAuthority;
  let home: ReturnType<typeof createHome>;
  beforeAll(async () => {
    [server, authority] = await Promise.all([startReleaseServer(), createSigstoreAuthority()]);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    home = createHome();
    writeFileSync(join(home.path, 'config.json'), JSON.stringify({ 'update.release_url': server.url }));
    mkdirSync(join(home.path, 'bin'));
    copyFileSync(executable()[0], standalone());
  });
  afterEach(() => home.dispose());

  const offer = (version: string, changelog?: string): Promise<unknown> =>
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
  /** The executable as a file that its user downloaded; the one in dist belongs to the checkout. */
  const standalone = (): string => join(home.path, 'bin/deed');
  const run = (...argv: string[]): Promise<Run> =>
    deedAsync(['update', ...argv], { home: home.path, executable: [standalone()] });

  it('tells of a newer version, and every other command then does', async () => {
    await offer('99.0.0');
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

  it('grades a security fix as a warning and anything else as information', async () => {
    await offer(bump(HERE), `## [${bump(HERE)}]\n### Security\n- Closed a hole.\n`);
    expect((await run('--check')).envelope.data.notice.severity).toBe('warning');
    await offer(
      bump(HERE),
      `## [${bump(HERE)}]\n### Added\n- More.\n## [${HERE}]\n### Security\n- An old one.\n`,
    );
    expect((await run('--check')).envelope.data.notice.severity).toBe('info');
  });

  it('forgets the notice once nothing is newer', async () => {
    await offer('99.0.0');
    await run('--check');
    await offer(HERE);
    const { envelope } = await run('--check');
    expect([envelope.data.status, envelope.data.notice]).toEqual(['up_to_date', undefined]);
    expect(existsSync(join(home.path, 'update-check.json'))).toBe(false);
  });

  it('refuses what the real release workflow did not sign', async () => {
    await offer('99.0.0');
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

  it('does nothing when it is the newest version', async () => {
    await offer(HERE);
    const { code, envelope } = await run();
    expect([code, envelope.data.status, envelope.data.skill_sync_status]).toEqual([
      0,
      'up_to_date',
      'not_needed',
    ]);
    expect((await run('--dry-run')).envelope.data.preview.changes).toEqual([]);
    expect((await run('--target-version', HERE)).envelope.data.status).toBe('up_to_date');
  });

  it('leaves a checkout to git and says so', async () => {
    await offer('99.0.0');
    const look = await deedAsync(['update', '--check'], { home: home.path });
    expect(look.envelope.data).toMatchObject({
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

  it('refuses an address that anybody on the way could change', async () => {
    writeFileSync(
      join(home.path, 'config.json'),
      JSON.stringify({ 'update.release_url': 'http://example.com/releases' }),
    );
    const { code, envelope } = await run('--check');
    expect([code, envelope.error?.code]).toEqual([4, 'E_CONFIG']);
  });

  it('can be read by people', async () => {
    await offer('99.0.0');
    expect((await run('--check', '--format', 'text')).stdout).toContain('99.0.0');
  });
});

/** The next minor version. */
function bump(version: string): string {
  const [major, minor] = version.split('.').map(Number);
  return `${major}.${(minor ?? 0) + 1}.0`;
}
