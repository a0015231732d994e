import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { writeTar } from '../../scripts/write-tar.ts';
import {
  answers,
  hangsUp,
  isSilent,
  publish,
  releasePaths,
  stalls,
  startReleaseServer,
  type ReleaseServer,
} from '../../test/fixtures/release-server.ts';
import { createSigstoreAuthority, type SigstoreAuthority } from '../../test/fixtures/sigstore-authority.ts';
import type { Fault } from '../base/fault.ts';
import { checkUpdate, previewUpdate } from './check-update.ts';
import { runUpdate } from './run-update.ts';
import { readUpdateNotice } from './update-notice.ts';
import type { UpdateStage } from './update-run.ts';
import type { UpdateWorld } from './update-world.ts';

const HERE = { platform: platform(), arch: arch() };
const NEW = releasePaths({ version: '0.2.0', ...HERE });
/** A program that does what an update asks of one: it tells its version. */
const program = (version: string): Buffer => Buffer.from(`#!/bin/sh\necho ${version}\n`);

let server: ReleaseServer;
let authority: SigstoreAuthority;
let root = '';
let skillFolder = '';
beforeAll(async () => {
  [server, authority] = await Promise.all([startReleaseServer(), createSigstoreAuthority()]);
});
afterAll(() => server.close());
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'deed-update-')));
  for (const folder of ['bin', 'user', 'skill']) mkdirSync(join(root, folder));
  skillFolder = join(root, 'skill');
  writeFileSync(join(skillFolder, 'SKILL.md'), 'the new Skill');
  writeFileSync(deed(), program('0.1.0'));
  chmodSync(deed(), 0o755);
  server.heal();
  await publish(
    server,
    { version: '0.2.0', ...HERE, content: { executable: program('0.2.0'), skillFolder } },
    authority,
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const deed = (): string => join(root, 'bin/deed');
const request = (targetVersion?: string) => ({ runningVersion: '0.1.0', targetVersion });

function world(more: Partial<UpdateWorld> = {}): UpdateWorld {
  const home = join(root, 'home');
  return {
    fetch,
    clock: { now: () => Date.UTC(2026, 0, 1) },
    env: { PATH: '/usr/bin:/bin' },
    ...HERE,
    userHome: join(root, 'user'),
    program: { path: deed(), kind: 'standalone' },
    home: {
      path: home,
      at: (...segments) => join(home, ...segments),
      folder: (...segments) => {
        mkdirSync(join(home, ...segments), { recursive: true, mode: 0o700 });
        return join(home, ...segments);
      },
    },
    signal: new AbortController().signal,
    progress: () => undefined,
    warn: () => undefined,
    releaseUrl: server.url,
    skillFolders: [],
    timeoutMs: 2000,
    trust: authority.trust,
    ...more,
  };
}

async function failure(update: Promise<unknown>): Promise<Fault> {
  try {
    await update;
  } catch (error) {
    return error as Fault;
  }
  throw new Error('the update did not fail');
}

const installed = (): string => readFileSync(deed(), 'utf8');
const skill = (): string | undefined => {
  const path = join(root, 'user/.agents/skills/deed/SKILL.md');
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

/** Nothing but the program lies in its folder, and nothing temporary in the home. */
function expectTidy(): void {
  expect(readdirSync(join(root, 'bin'))).toEqual(['deed']);
  const home = existsSync(join(root, 'home')) ? readdirSync(join(root, 'home')) : [];
  expect(home.filter((name) => name !== 'skill-sync-pending' && name !== 'update-check.json')).toEqual([]);
}

function expectOld(fault: Fault, stage: UpdateStage): void {
  expect(installed()).toBe(program('0.1.0').toString());
  expect(skill()).toBeUndefined();
  expect(fault.details).toMatchObject({
    stage,
    current_version: '0.1.0',
    binary_replaced: false,
    skill_sync_status: 'not_started',
  });
  expectTidy();
}

test('an update replaces the program, keeps its mode and syncs the Skill', async () => {
  chmodSync(deed(), 0o750);
  const { status, run, applied } = await runUpdate(request(), world());
  expect(status).toBe('updated');
  expect(run).toMatchObject({
    previousVersion: '0.1.0',
    currentVersion: '0.2.0',
    binaryReplaced: true,
    skillSyncStatus: 'synced',
  });
  expect(applied?.verification?.signerIdentity).toBe(authority.identityOf('0.2.0'));
  expect(installed()).toBe(program('0.2.0').toString());
  expect(statSync(deed()).mode & 0o777).toBe(0o750);
  expect(skill()).toBe('the new Skill');
  expect(readdirSync(join(root, 'home'))).toEqual([]);
  expectTidy();
});

test('an update to the version that runs does nothing, and downloads nothing', async () => {
  const { status, run } = await runUpdate({ runningVersion: '0.2.0', targetVersion: undefined }, world());
  expect([status, run.binaryReplaced, run.skillSyncStatus, run.targetVersion]).toEqual([
    'up_to_date',
    false,
    'not_needed',
    '0.2.0',
  ]);
  expect(server.requests).toEqual([NEW.latest]);
});

test('an older newest release does not lead back; asking for it does', async () => {
  const running = { runningVersion: '0.3.0', targetVersion: undefined };
  expect((await runUpdate(running, world())).status).toBe('up_to_date');
  writeFileSync(deed(), program('0.3.0'));
  const { status, run } = await runUpdate({ ...running, targetVersion: '0.2.0' }, world());
  expect([status, run.currentVersion]).toEqual(['updated', '0.2.0']);
});

test('a version that does not exist is not found', async () => {
  const fault = await failure(runUpdate(request('9.9.9'), world()));
  expect(fault.code).toBe('E_NOT_FOUND');
  expectOld(fault, 'discover');
});

test('failures of the server keep their own codes and change nothing', async () => {
  const cases = [
    [answers(429, { 'retry-after': '7' }), 'E_RATE_LIMITED'],
    [answers(500), 'E_SERVER'],
    [answers(403), 'E_FORBIDDEN'],
    [answers(404), 'E_NOT_FOUND'],
    [hangsUp, 'E_NETWORK'],
  ] as const;
  for (const [path, stage] of [
    [NEW.latest, 'discover'],
    [NEW.archive, 'download'],
  ] as const) {
    for (const [behaviour, code] of cases) {
      server.heal();
      server.behave(path, behaviour);
      const fault = await failure(runUpdate(request(), world()));
      expect([path, fault.code]).toEqual([path, code]);
      expectOld(fault, stage);
      if (code === 'E_RATE_LIMITED') expect(fault.details.retry_after_ms).toBe(7000);
    }
  }
});

test('a server that falls silent is a timeout, before and in the middle of an answer', async () => {
  for (const [behaviour, path] of [
    [isSilent, NEW.latest],
    [stalls, NEW.archive],
  ] as const) {
    server.heal();
    server.behave(path, behaviour);
    const fault = await failure(runUpdate(request(), world({ timeoutMs: 200 })));
    expect(fault.code).toBe('E_TIMEOUT');
    expectOld(fault, path === NEW.latest ? 'discover' : 'download');
    expect(fault.message).toContain('transient');
  }
});

test('no server is a network failure', async () => {
  const fault = await failure(runUpdate(request(), world({ releaseUrl: 'http://127.0.0.1:9/releases' })));
  expect(fault.code).toBe('E_NETWORK');
  expectOld(fault, 'discover');
});

test('an answer that describes no release is a failure of the server', async () => {
  server.put(NEW.latest, '<html>');
  const fault = await failure(runUpdate(request(), world()));
  expect(fault.code).toBe('E_SERVER');
  expectOld(fault, 'discover');
});

test('a plain http address is refused unless it is this machine', async () => {
  const fault = await failure(runUpdate(request(), world({ releaseUrl: 'http://example.com/releases' })));
  expect(fault.code).toBe('E_CONFIG');
  expectOld(fault, 'discover');
});

test('a redirect stays on this machine or goes to https, and not in circles', async () => {
  server.behave(NEW.latest, answers(302, { location: `${server.url}/elsewhere` }));
  server.put('elsewhere', server.read(NEW.metadata));
  expect((await previewUpdate(request(), world())).plan.release.version).toBe('0.2.0');
  server.behave(NEW.latest, answers(302, { location: 'http://example.com/release.json' }));
  expect((await failure(runUpdate(request(), world()))).code).toBe('E_CONFIG');
  server.behave(NEW.latest, answers(302, { location: `${server.url}/${NEW.latest}` }));
  expect((await failure(runUpdate(request(), world()))).code).toBe('E_SERVER');
});

test('what does not verify is refused, and the message forbids a retry', async () => {
  const forger = await createSigstoreAuthority();
  const cases: [string, UpdateStage, () => void | Promise<void>][] = [
    ['no bundle', 'verify_signature', () => server.remove(NEW.bundle)],
    ['a bundle that is none', 'verify_signature', () => server.put(NEW.bundle, '{}')],
    [
      'a foreign signer',
      'verify_signature',
      async () => server.put(NEW.bundle, await forger.sign(server.read(NEW.checksums), '0.2.0')),
    ],
    [
      'another tag',
      'verify_signature',
      async () => server.put(NEW.bundle, await authority.sign(server.read(NEW.checksums), '0.1.9')),
    ],
    [
      'changed checksums',
      'verify_signature',
      () => server.put(NEW.checksums, `${server.read(NEW.checksums).toString()}\n`),
    ],
    ['another archive', 'verify_checksum', () => server.put(NEW.archive, gzipSync('other'))],
    ['another version in the metadata', 'discover', () => server.put(NEW.metadata, '{"version":"0.2.1"}')],
  ];
  for (const [name, stage, spoil] of cases) {
    await publish(
      server,
      { version: '0.2.0', ...HERE, content: { executable: program('0.2.0'), skillFolder } },
      authority,
    );
    await spoil();
    const fault = await failure(runUpdate(request(stage === 'discover' ? '0.2.0' : undefined), world()));
    expect([name, fault.code]).toEqual([name, 'E_INTEGRITY']);
    expect(fault.message).toContain('do NOT retry');
    expectOld(fault, stage);
  }
});

test('a signed archive with an evil path is refused before anything is written', async () => {
  const members = ['deed', 'skills/deed/SKILL.md', '../../evil'].map((path) => ({
    path,
    mode: 0o755,
    content: program('0.2.0'),
  }));
  await publish(server, { version: '0.2.0', ...HERE, content: gzipSync(writeTar(members)) }, authority);
  const fault = await failure(runUpdate(request(), world()));
  expect(fault.code).toBe('E_INTEGRITY');
  expectOld(fault, 'verify_checksum');
});

test('a program that does not start here, or is another version, is not installed', async () => {
  for (const executable of [
    Buffer.from('\u007FELF nonsense'),
    program('0.2.1'),
    Buffer.from('#!/bin/sh\nexit 1\n'),
  ]) {
    await publish(server, { version: '0.2.0', ...HERE, content: { executable, skillFolder } }, authority);
    const fault = await failure(runUpdate(request(), world()));
    expect(fault.code).toBe('E_CONFIG');
    expectOld(fault, 'replace');
  }
});

test('an abort in any stage before the swap changes nothing', async () => {
  const stages: UpdateStage[] = ['discover', 'download', 'verify_signature', 'verify_checksum', 'replace'];
  for (const stage of stages) {
    const abort = new AbortController();
    const progress = (message: string): void => {
      if (message.includes(`(${stage})`)) setImmediate(() => abort.abort());
    };
    const fault = await failure(runUpdate(request(), world({ signal: abort.signal, progress })));
    expect([stage, fault.code]).toEqual([stage, 'E_INTERRUPTED']);
    expect(fault.message).toContain('no change, deed is still 0.1.0');
    expectOld(fault, stage);
  }
});

test('an abort during a request is seen at once', async () => {
  server.behave(NEW.archive, stalls);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 200);
  const started = performance.now();
  const fault = await failure(runUpdate(request(), world({ signal: abort.signal, timeoutMs: 60_000 })));
  expect(fault.code).toBe('E_INTERRUPTED');
  expect(performance.now() - started).toBeLessThan(2000);
  expectOld(fault, 'download');
});

test('an abort during the Skill sync leaves the new program, and the next update finishes the Skill', async () => {
  const abort = new AbortController();
  const progress = (message: string): void => {
    if (message.includes('(skill_sync)')) abort.abort();
  };
  const fault = await failure(runUpdate(request(), world({ signal: abort.signal, progress })));
  expect(fault.code).toBe('E_INTERRUPTED');
  expect(fault.details).toMatchObject({
    stage: 'skill_sync',
    previous_version: '0.1.0',
    current_version: '0.2.0',
    binary_replaced: true,
    skill_sync_status: 'pending',
    skill_sync_command: 'npx skills add deed-cli/deed -y -g',
  });
  expect([installed(), skill()]).toEqual([program('0.2.0').toString(), undefined]);
  expectTidy();

  const { status, run } = await runUpdate({ runningVersion: '0.2.0', targetVersion: undefined }, world());
  expect([status, run.binaryReplaced, run.skillSyncStatus]).toEqual(['skill_synced', false, 'synced']);
  expect(skill()).toBe('the new Skill');
  expect((await runUpdate({ runningVersion: '0.2.0', targetVersion: undefined }, world())).status).toBe(
    'up_to_date',
  );
});

test('a Skill that cannot be synced is a partial success with the way to finish it', async () => {
  writeFileSync(join(root, 'user/.agents'), 'a file in the way');
  const fault = await failure(runUpdate(request(), world()));
  expect(fault.code).toBe('E_IO');
  expect(fault.details).toMatchObject({
    stage: 'skill_sync',
    current_version: '0.2.0',
    binary_replaced: true,
    skill_sync_status: 'failed',
    skill_sync_command: 'npx skills add deed-cli/deed -y -g',
    changelog_command: 'deed changelog --since 0.1.0',
  });
  expect(fault.message).toContain('deed is now 0.2.0');
  expect(installed()).toBe(program('0.2.0').toString());
});

test('the Skill that an unfinished update owes is that of the installed version, whatever is newest', async () => {
  writeFileSync(join(root, 'user/.agents'), 'a file in the way');
  await failure(runUpdate(request(), world()));
  rmSync(join(root, 'user/.agents'));
  const other = join(root, 'older');
  mkdirSync(other);
  writeFileSync(join(other, 'SKILL.md'), 'an older Skill');
  await publish(
    server,
    { version: '0.1.5', ...HERE, content: { executable: program('0.1.5'), skillFolder: other } },
    authority,
  );
  const { status, run } = await runUpdate({ runningVersion: '0.2.0', targetVersion: undefined }, world());
  expect([status, run.currentVersion, skill()]).toEqual(['skill_synced', '0.2.0', 'the new Skill']);
});

test('two updates at once: both end well and the machine is sound', async () => {
  const results = await Promise.all([runUpdate(request(), world()), runUpdate(request(), world())]);
  expect(results.map(({ status }) => status).sort()).toEqual(['up_to_date', 'updated']);
  expect(results.map(({ run }) => run.currentVersion)).toEqual(['0.2.0', '0.2.0']);
  expect([installed(), skill()]).toEqual([program('0.2.0').toString(), 'the new Skill']);
  expectTidy();
});

test('leftovers of an update that was killed are removed and never used', async () => {
  const leftover = join(root, `bin/.deed-${'c'.repeat(32)}.update`);
  mkdirSync(leftover);
  writeFileSync(join(leftover, 'deed'), 'half a program');
  await runUpdate(request(), world());
  expectTidy();
});

test('a check keeps a notice with its severity, privately, and changes nothing else', async () => {
  const { plan, available, notice } = await checkUpdate(request(), world());
  expect([plan.needed, available]).toEqual([true, { signature: true, checksum: true }]);
  expect(notice).toEqual({
    type: 'update_available',
    severity: 'info',
    current_version: '0.1.0',
    latest_version: '0.2.0',
    install_method: 'standalone',
    recommended_command: 'deed update',
    release_url: `${server.url}/tag/v0.2.0`,
    checked_at: '2026-01-01T00:00:00.000Z',
    next_steps: [
      { action: 'update', command: 'deed update' },
      { action: 'read_changelog', command: 'deed changelog --since 0.1.0' },
    ],
  });
  const cache = join(root, 'home/update-check.json');
  expect(readUpdateNotice(cache, '0.1.0')).toEqual(notice);
  expect(statSync(cache).mode & 0o777).toBe(0o600);
  expect(installed()).toBe(program('0.1.0').toString());
  await runUpdate(request(), world());
  expect(existsSync(cache)).toBe(false);
});

test('a security entry since the running version, or a new major version, is a warning', async () => {
  const changelog =
    '## [0.2.0]\n### Added\n- More.\n## [0.1.5]\n### Security\n- A hole.\n## [0.1.0]\n### Security\n- An old hole.\n';
  const content = { executable: program('0.2.0'), skillFolder };
  await publish(server, { version: '0.2.0', ...HERE, content, changelog }, authority);
  expect((await checkUpdate(request(), world())).notice?.severity).toBe('warning');
  expect(
    (await checkUpdate({ runningVersion: '0.1.5', targetVersion: undefined }, world())).notice?.severity,
  ).toBe('info');
  await publish(server, { version: '1.0.0', ...HERE, content }, authority);
  expect((await checkUpdate(request(), world())).notice?.severity).toBe('warning');
});

test('a check tells what an update could not verify, and forgets a notice that no longer holds', async () => {
  server.remove(NEW.bundle);
  server.put(NEW.checksums, 'no checksums');
  expect((await checkUpdate(request(), world())).available).toEqual({ signature: false, checksum: false });
  const { notice } = await checkUpdate({ runningVersion: '0.2.0', targetVersion: undefined }, world());
  expect([notice, existsSync(join(root, 'home/update-check.json'))]).toEqual([undefined, false]);
});

test('a checkout is told how to update, a look at the newest release works there', async () => {
  const source = world({ program: { path: deed(), kind: 'node' } });
  const fault = await failure(runUpdate(request(), source));
  expect([fault.code, fault.details.install_method]).toEqual(['E_CONFIG', 'source']);
  expect(fault.hint).toContain('git pull');
  expect((await checkUpdate(request(), source)).notice?.recommended_command).toContain('git pull');
});

test('on Windows the answer is that it is not applicable', async () => {
  const fault = await failure(runUpdate(request(), world({ platform: 'win32' })));
  expect(fault.code).toBe('E_CONFIG');
  expect(fault.message).toContain('not applicable on Windows');
});

test('a preview writes nothing', async () => {
  await previewUpdate(request(), world());
  expect(existsSync(join(root, 'home'))).toBe(false);
  expect(installed()).toBe(program('0.1.0').toString());
});
