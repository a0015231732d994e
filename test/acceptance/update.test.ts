import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tarHeader, writeTar } from '../../scripts/write-tar.ts';
import { answers, hangsUp, isSilent, publish, stalls } from '../fixtures/release-server.ts';
import { type Run } from '../fixtures/run-deed.ts';
import { createSigstoreAuthority } from '../fixtures/sigstore-authority.ts';
import {
  createUpdateBench,
  NEW,
  OLD,
  smallProgram,
  type Installation,
  type UpdateBench,
} from '../fixtures/update-bench.ts';

describe('update of a compiled executable', () => {
  let bench: UpdateBench;
  beforeAll(async () => {
    bench = await createUpdateBench();
  });
  afterAll(() => bench.dispose());
  beforeEach(async () => {
    bench.server.heal();
    await bench.publishSmall();
  });

  it('really replaces itself, tells all of it, and the next start is the new version', async () => {
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

  it('looks without touching anything but the notice, which rides along until the update', async () => {
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

  it('previews the changes and what it would verify, and issues no token', async () => {
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
        'The new program starts and tells its version',
      ],
    });
    expectOld(machine);
    expect(existsSync(join(machine.home, 'update-check.json'))).toBe(false);
  });

  it('refuses a confirm token and a version that is none', async () => {
    const machine = bench.install();
    expect((await machine.run(['update', '--confirm', 'ct_x'])).code).toBe(2);
    const run = await machine.run(['update', '--target-version', 'newest']);
    expect([run.code, run.envelope.error?.code, run.envelope.error?.details.field]).toEqual([
      2,
      'E_VALIDATION',
      'target_version',
    ]);
    expectOld(machine);
  });

  it('goes back only when it is asked to', async () => {
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

  it('refuses every release that does not verify, for good', async () => {
    const machine = bench.install();
    const { server, authority, paths } = bench;
    const checksums = server.read(paths.checksums);
    const forger = await createSigstoreAuthority();
    const evil = ['deed', 'skills/deed/SKILL.md', '../../../evil'].map((path) => ({
      path,
      mode: 0o755,
      content: smallProgram(NEW),
    }));
    const link = gzipSync(
      Buffer.concat([writeTar(evil.slice(0, 2)).subarray(0, -1024), symbolicLink(), Buffer.alloc(1024)]),
    );
    const here = { version: NEW, platform: platform(), arch: arch() };
    const cases: [string, string, () => unknown][] = [
      ['a missing bundle', 'verify_signature', () => server.remove(paths.bundle)],
      [
        'a forged signature',
        'verify_signature',
        async () => server.put(paths.bundle, await forger.sign(checksums, NEW)),
      ],
      [
        'a signature for another tag',
        'verify_signature',
        async () => server.put(paths.bundle, await authority.sign(checksums, '0.1.9')),
      ],
      [
        'a signature for another file',
        'verify_signature',
        () => server.put(paths.checksums, `${checksums.toString()} `),
      ],
      ['another archive', 'verify_checksum', () => server.put(paths.archive, gzipSync('other'))],
      [
        'an archive that leaves its folder',
        'verify_checksum',
        () => publish(server, { ...here, content: gzipSync(writeTar(evil)) }, authority),
      ],
      [
        'an archive with a link',
        'verify_checksum',
        () => publish(server, { ...here, content: link }, authority),
      ],
    ];
    for (const [name, stage, spoil] of cases) {
      await bench.publishSmall();
      await spoil();
      const run = await machine.run(['update']);
      expect([name, run.code, run.envelope.error?.code, run.envelope.error?.retryable]).toEqual([
        name,
        1,
        'E_INTEGRITY',
        false,
      ]);
      expect(run.envelope.error?.message).toContain('do NOT retry');
      expectOld(machine, run, stage);
    }
  });

  it('tells a passing failure of the server from one that stays', async () => {
    const machine = bench.install();
    const { server, paths } = bench;
    const cases: [string, string, number, boolean, () => void][] = [
      ['discover', 'E_NOT_FOUND', 3, false, () => server.behave(paths.latest, answers(404))],
      [
        'discover',
        'E_RATE_LIMITED',
        7,
        true,
        () => server.behave(paths.latest, answers(429, { 'retry-after': '3' })),
      ],
      ['discover', 'E_SERVER', 7, true, () => server.behave(paths.latest, answers(500))],
      ['discover', 'E_TIMEOUT', 8, true, () => server.behave(paths.latest, isSilent)],
      [
        'discover',
        'E_NETWORK',
        7,
        true,
        () => machine.configure({ 'update.release_url': 'http://127.0.0.1:9/releases' }),
      ],
      ['download', 'E_NOT_FOUND', 3, false, () => server.behave(paths.archive, answers(404))],
      ['download', 'E_AUTH', 4, false, () => server.behave(paths.archive, answers(401))],
      ['download', 'E_NETWORK', 7, true, () => server.behave(paths.archive, hangsUp)],
      ['download', 'E_TIMEOUT', 8, true, () => server.behave(paths.archive, stalls)],
    ];
    for (const [stage, code, exit, retryable, spoil] of cases) {
      server.heal();
      machine.configure(code === 'E_TIMEOUT' ? { 'update.timeout_ms': 1000 } : {});
      spoil();
      const run = await machine.run(['update']);
      expect([stage, run.envelope.error?.code, run.code, run.envelope.error?.retryable]).toEqual([
        stage,
        code,
        exit,
        retryable,
      ]);
      if (retryable) expect(run.envelope.error?.message).toContain('transient');
      if (code === 'E_RATE_LIMITED') expect(run.envelope.error?.details.retry_after_ms).toBe(3000);
      expectOld(machine, run, stage);
    }
  });

  it('follows redirects the way GitHub makes them', async () => {
    const machine = bench.install();
    const { server, paths } = bench;
    for (const path of [paths.latest, paths.archive]) {
      server.put(`objects/${path}`, server.read(path));
      server.behave(path, answers(302, { location: `${server.url}/objects/${path}` }));
    }
    expect((await machine.run(['update'])).envelope.data.status).toBe('updated');
    expect(machine.version()).toBe(NEW);
  });

  it('calls a new program with an old Skill a partial success and remembers what is owed', async () => {
    const machine = bench.install();
    writeFileSync(join(machine.home, '.agents'), 'in the way');
    const run = await machine.run(['update']);
    expect([run.code, run.envelope.ok, run.envelope.error?.code]).toEqual([1, false, 'E_IO']);
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

  it('keeps the machine sound when two updates run at once', async () => {
    await bench.publishWhole();
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

  it('trusts nothing that the environment or the configuration says about signers', async () => {
    const machine = bench.install();
    const forger = await createSigstoreAuthority();
    bench.server.put(bench.paths.bundle, await forger.sign(bench.server.read(bench.paths.checksums), NEW));
    const trust = JSON.stringify(forger.trust);
    machine.configure({ 'update.trust': trust, __DEED_RELEASE_TRUST__: trust });
    const run = await machine.run(['update'], {
      env: { __DEED_RELEASE_TRUST__: trust, DEED_RELEASE_TRUST: trust },
    });
    expect(run.envelope.error?.code).toBe('E_INTEGRITY');
    expectOld(machine, run, 'verify_signature');
  });
});

function putSkill(machine: Installation, text: string): void {
  const path = join(machine.home, '.agents/skills/deed/SKILL.md');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The old version is untouched, nothing is left over, and a failure says so. */
function expectOld(machine: Installation, run?: Run, stage?: string): void {
  expect([machine.version(), machine.skill(), machine.leftovers()]).toEqual([OLD, undefined, []]);
  if (run === undefined) return;
  expect(run.envelope.error?.details).toMatchObject({
    stage,
    current_version: OLD,
    binary_replaced: false,
    skill_sync_status: 'not_started',
  });
}

function symbolicLink(): Buffer {
  return tarHeader('skills/deed/evil', { mode: 0o777, size: 0, type: '2', link: '/etc/passwd' });
}
