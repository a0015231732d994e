import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { disconnects, publish, respondsWith, stalls } from '../fixtures/release-server.ts';
import { type Run } from '../fixtures/run-deed.ts';
import { createSigstoreAuthority } from '../fixtures/sigstore-authority.ts';
import { LONG } from '../fixtures/start-node.ts';
import {
  createUpdateBench,
  NEW,
  OLD,
  smallProgram,
  type Installation,
  type UpdateBench,
} from '../fixtures/update-bench.ts';

describe('update of a standalone executable', () => {
  let bench: UpdateBench;
  beforeAll(async () => {
    bench = await createUpdateBench();
  });
  afterAll(() => bench.dispose());
  beforeEach(async () => {
    bench.server.reset();
    await bench.publishSmall();
  });

  it('replaces the program, reports the result, and the next start is the new version', async () => {
    await bench.publishWhole();
    const machine = bench.install();
    putSkill(machine, 'the old Skill');
    await machine.run(['update', '--check']);
    const run = await machine.run(['update']);
    expect(run.envelope.data).toEqual({
      status: 'updated',
      previous_version: OLD,
      current_version: NEW,
      target_version: NEW,
      latest_version: NEW,
      update_available: false,
      install_method: 'standalone',
      command: 'deed update',
      release_url: `${bench.server.url}/tag/v${NEW}`,
      binary_replaced: true,
      signature_verified: true,
      signature_status: 'verified',
      verification: {
        archive: `deed-${NEW}-${platform()}-${arch()}.tar.gz`,
        archive_sha256: expect.stringMatching(/^[0-9a-f]{64}$/u),
        checksums_sha256: expect.stringMatching(/^[0-9a-f]{64}$/u),
        signer_identity: bench.authority.identityOf(NEW),
        signer_issuer: 'https://token.actions.githubusercontent.com',
      },
      skill_sync_supported: true,
      skill_sync_status: 'synced',
      skill_sync_command: 'npx skills add deed-cli/deed -y -g',
      skill_folders: [join(machine.home, '.agents/skills/deed')],
      hint: `Run "deed changelog --since ${OLD}" to see what changed.`,
      next_steps: [{ action: 'read_changelog', command: `deed changelog --since ${OLD}` }],
    });
    expect([run.code, run.envelope.meta.notices]).toEqual([0, undefined]);
    expect([machine.version(), machine.skill(), machine.leftovers()]).toEqual([NEW, 'the new Skill', []]);
    expect(statSync(machine.executable).mode & 0o777).toBe(0o755);

    const changes = await machine.run(['changelog', '--since', OLD]);
    expect(changes.envelope.data.entries.map(({ version }: { version: string }) => version)).toEqual([NEW]);
    const again = await machine.run(['update']);
    expect([again.code, again.envelope.data.status, again.envelope.data.binary_replaced]).toEqual([
      0,
      'up_to_date',
      false,
    ]);
  });

  it('with --check changes only the cached notice, which other commands show until the update', async () => {
    const machine = bench.install();
    const check = await machine.run(['update', '--check']);
    expect(check.envelope.data).toMatchObject({
      status: 'update_available',
      current_version: OLD,
      target_version: NEW,
      update_available: true,
      install_method: 'standalone',
      command: 'deed update',
      signature_status: 'not_checked',
      signature_available: true,
      checksum_available: true,
      skill_sync_supported: true,
      skill_sync_status: 'not_started',
      notice: { type: 'update_available', severity: 'info', latest_version: NEW },
    });
    const cache = join(machine.home, 'update-check.json');
    expect(statSync(cache).mode & 0o777).toBe(0o600);
    const { meta } = (await machine.run(['context'])).envelope;
    expect(meta.notices).toEqual([check.envelope.data.notice]);
    writeFileSync(cache, '{"type":');
    expect((await machine.run(['context'])).envelope.meta.notices).toBeUndefined();
    await machine.run(['update', '--check']);
    await machine.run(['update']);
    expect([existsSync(cache), machine.version()]).toEqual([false, NEW]);
  });

  it('with --dry-run lists the changes and verifications, and issues no token', async () => {
    const machine = bench.install();
    const { code, envelope } = await machine.run(['update', '--dry-run']);
    expect([code, envelope.data.status, envelope.data.confirm_token]).toEqual([
      0,
      'update_available',
      undefined,
    ]);
    expect(envelope.data.preview).toEqual({
      changes: [
        {
          action: 'replace',
          resource: 'executable',
          id: machine.executable,
          before: { version: OLD },
          after: { version: NEW },
        },
        {
          action: 'sync',
          resource: 'skill',
          id: join(machine.home, '.agents/skills/deed'),
          before: null,
          after: { version: NEW },
        },
      ],
      verification: [
        `Sigstore signature of checksums.txt by ${bench.authority.identityOf(NEW)}`,
        `SHA-256 of deed-${NEW}-${platform()}-${arch()}.tar.gz in checksums.txt`,
        'The new program starts and prints its version',
      ],
    });
    expectUnchanged(machine);
    expect(existsSync(join(machine.home, 'update-check.json'))).toBe(false);
  });

  it('rejects a confirm token and an invalid version', async () => {
    const machine = bench.install();
    expect((await machine.run(['update', '--confirm', 'ct_x'])).code).toBe(2);
    const run = await machine.run(['update', '--target-version', 'newest']);
    expect([run.code, run.envelope.error?.code, run.envelope.error?.details.field]).toEqual([
      2,
      'E_VALIDATION',
      'target_version',
    ]);
    expectUnchanged(machine);
  });

  it('downgrades only to an explicit target version', async () => {
    const machine = bench.install();
    const older = { version: '0.0.9', platform: platform(), arch: arch() };
    await publish(
      bench.server,
      { ...older, content: { executable: smallProgram('0.0.9'), skillFolder: bench.skillFolder } },
      bench.authority,
    );
    expect((await machine.run(['update'])).envelope.data).toMatchObject({
      status: 'up_to_date',
      current_version: OLD,
      target_version: OLD,
    });
    expect((await machine.run(['update', '--target-version', 'v0.0.9'])).envelope.data).toMatchObject({
      status: 'updated',
      current_version: '0.0.9',
      latest_version: null,
    });
    expect(machine.version()).toBe('0.0.9');
  });

  // The other ways in which a release may not verify are tested in src/release/verify-release.test.ts.
  it('rejects a release that does not verify, and the error is not retryable', async () => {
    const machine = bench.install();
    const { server, paths } = bench;
    const forger = await createSigstoreAuthority();
    const forged = await forger.sign(server.read(paths.checksums), NEW);
    const cases: [string, string, () => unknown][] = [
      ['a missing bundle', 'verify_signature', () => server.remove(paths.bundle)],
      ['a forged signature', 'verify_signature', () => server.put(paths.bundle, forged)],
      ['another archive', 'verify_checksum', () => server.put(paths.archive, gzipSync('other'))],
    ];
    for (const [name, stage, inject] of cases) {
      await bench.publishSmall();
      await inject();
      const run = await machine.run(['update']);
      expect([name, run.code, run.envelope.error?.code, run.envelope.error?.retryable]).toEqual([
        name,
        1,
        'E_INTEGRITY',
        false,
      ]);
      expect(run.envelope.error?.message).toContain('do NOT retry');
      expectUnchanged(machine, run, stage);
    }
  });

  // Every response of a server is tested in src/release/discover-release.test.ts.
  it.runIf(LONG)(
    'reports a failure of the server with its exit code and whether a retry may help',
    async () => {
      const machine = bench.install();
      const { server, paths } = bench;
      const limited = respondsWith(429, { 'retry-after': '3' });
      const cases: [string, string, number, boolean, () => void][] = [
        ['discover', 'E_RATE_LIMITED', 7, true, () => server.injectFailure(paths.latest, limited)],
        ['download', 'E_NOT_FOUND', 3, false, () => server.injectFailure(paths.archive, respondsWith(404))],
        ['download', 'E_NETWORK', 7, true, () => server.injectFailure(paths.archive, disconnects)],
        ['download', 'E_TIMEOUT', 8, true, () => server.injectFailure(paths.archive, stalls)],
      ];
      for (const [stage, code, exit, retryable, inject] of cases) {
        server.reset();
        machine.configure(code === 'E_TIMEOUT' ? { 'update.timeout_ms': 4000 } : {});
        inject();
        const run = await machine.run(['update']);
        expect([stage, run.envelope.error?.code, run.code, run.envelope.error?.retryable]).toEqual([
          stage,
          code,
          exit,
          retryable,
        ]);
        if (retryable) expect(run.envelope.error?.message).toContain('transient');
        if (code === 'E_RATE_LIMITED') expect(run.envelope.error?.details.retry_after_ms).toBe(3000);
        expectUnchanged(machine, run, stage);
      }
    },
  );

  it('follows redirects as GitHub sends them', async () => {
    const machine = bench.install();
    const { server, paths } = bench;
    for (const path of [paths.latest, paths.archive]) {
      server.put(`objects/${path}`, server.read(path));
      server.injectFailure(path, respondsWith(302, { location: `${server.url}/objects/${path}` }));
    }
    expect((await machine.run(['update'])).envelope.data.status).toBe('updated');
    expect(machine.version()).toBe(NEW);
  });

  it('reports a failed Skill sync as a partial success and records that it is pending', async () => {
    const machine = bench.install();
    writeFileSync(join(machine.home, '.agents'), 'in the way');
    const run = await machine.run(['update']);
    expect([run.code, run.envelope.ok, run.envelope.error?.code]).toEqual([7, false, 'E_SKILL_SYNC']);
    expect(run.envelope.error?.retryable).toBe(true);
    expect(run.envelope.error?.details).toMatchObject({
      stage: 'skill_sync',
      previous_version: OLD,
      current_version: NEW,
      binary_replaced: true,
      skill_sync_status: 'failed',
      skill_sync_command: 'npx skills add deed-cli/deed -y -g',
      changelog_command: `deed changelog --since ${OLD}`,
    });
    expect([machine.version(), readFileSync(join(machine.home, 'skill-sync-pending'), 'utf8')]).toEqual([
      NEW,
      `${NEW}\n`,
    ]);
  });

  // Two updates at the same time are also tested in src/release/run-update.test.ts.
  it.runIf(LONG)('runs at most one of two concurrent updates', async () => {
    await bench.publishSmall(64 * 1024 * 1024);
    const machine = bench.install();
    const runs = await Promise.all([machine.run(['update']), machine.run(['update'])]);
    for (const run of runs) {
      if (run.envelope.ok) expect(run.envelope.data.current_version).toBe(NEW);
      else
        expect(run.envelope.error).toMatchObject({
          code: 'E_TIMEOUT',
          retryable: true,
          details: { binary_replaced: false },
        });
    }
    expect(runs.filter((run) => run.envelope.data?.status === 'updated')).toHaveLength(1);
    expect([machine.version(), machine.skill(), machine.leftovers()]).toEqual([NEW, 'the new Skill', []]);
  });

  it('ignores signers from the environment and the configuration', async () => {
    const machine = bench.install();
    const forger = await createSigstoreAuthority();
    bench.server.put(bench.paths.bundle, await forger.sign(bench.server.read(bench.paths.checksums), NEW));
    const trust = JSON.stringify(forger.trust);
    machine.configure({ 'update.trust': trust, __DEED_RELEASE_TRUST__: trust });
    const run = await machine.run(['update'], {
      env: { __DEED_RELEASE_TRUST__: trust, DEED_RELEASE_TRUST: trust },
    });
    expect(run.envelope.error?.code).toBe('E_INTEGRITY');
    expectUnchanged(machine, run, 'verify_signature');
  });
});

function putSkill(machine: Installation, text: string): void {
  const path = join(machine.home, '.agents/skills/deed/SKILL.md');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The old version is installed, without leftover files, and a failure reports that. */
function expectUnchanged(machine: Installation, run?: Run, stage?: string): void {
  expect([machine.version(), machine.skill(), machine.leftovers()]).toEqual([OLD, undefined, []]);
  if (run === undefined) return;
  expect(run.envelope.error?.details).toMatchObject({
    stage,
    current_version: OLD,
    binary_replaced: false,
    skill_sync_status: 'not_started',
  });
}
