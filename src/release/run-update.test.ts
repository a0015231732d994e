import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { failure, NEW, program, request, useUpdateMachine } from '../../test/fixtures/update-machine.ts';
import type { Fault } from '../base/fault.ts';
import { checkUpdate } from './check-update.ts';
import { runUpdate } from './run-update.ts';

const bench = useUpdateMachine();

test('an update replaces the program, keeps its mode and syncs the Skill', async () => {
  chmodSync(bench.machine.executable, 0o750);
  const { status, run, applied } = await runUpdate(request(), bench.machine.context());
  expect(status).toBe('updated');
  expect(run).toMatchObject({
    previousVersion: '0.1.0',
    currentVersion: '0.2.0',
    binaryReplaced: true,
    skillSyncStatus: 'synced',
  });
  expect(applied?.verification?.signerIdentity).toBe(bench.authority.identityOf('0.2.0'));
  expect(bench.machine.installed()).toBe(program('0.2.0').toString());
  expect(statSync(bench.machine.executable).mode & 0o777).toBe(0o750);
  expect(bench.machine.skill()).toBe('the new Skill');
  expect(readdirSync(join(bench.machine.root, 'home'))).toEqual([]);
  bench.machine.expectTidy();
});

test('an update to the version that runs does nothing, and downloads nothing', async () => {
  const { status, run } = await runUpdate(
    { runningVersion: '0.2.0', targetVersion: undefined },
    bench.machine.context(),
  );
  expect([status, run.binaryReplaced, run.skillSyncStatus, run.targetVersion]).toEqual([
    'up_to_date',
    false,
    'not_needed',
    '0.2.0',
  ]);
  expect(bench.server.requests).toEqual([NEW.latest]);
});

test('an update to exactly the version that runs asks nobody', async () => {
  const { status, run } = await runUpdate(request('0.1.0'), bench.machine.context());
  expect([status, run.currentVersion, run.targetVersion]).toEqual(['up_to_date', '0.1.0', '0.1.0']);
  expect(bench.server.requests).toEqual([]);
});

test('an older newest release does not lead back; asking for it does', async () => {
  const running = { runningVersion: '0.3.0', targetVersion: undefined };
  expect((await runUpdate(running, bench.machine.context())).status).toBe('up_to_date');
  writeFileSync(bench.machine.executable, program('0.3.0'));
  const { status, run } = await runUpdate({ ...running, targetVersion: '0.2.0' }, bench.machine.context());
  expect([status, run.currentVersion]).toEqual(['updated', '0.2.0']);
});

test('a version that does not exist is not found', async () => {
  const fault = await failure(runUpdate(request('9.9.9'), bench.machine.context()));
  expect(fault.code).toBe('E_NOT_FOUND');
  bench.machine.expectOld(fault, 'discover');
});

test('a program that does not start here, or is another version, is not installed', async () => {
  for (const executable of [
    Buffer.from('\u007FELF nonsense'),
    program('0.2.1'),
    Buffer.from('#!/bin/sh\nexit 1\n'),
  ]) {
    await bench.machine.offer('0.2.0', executable);
    const fault = await failure(runUpdate(request(), bench.machine.context()));
    expect(fault.code).toBe('E_CONFIG');
    bench.machine.expectOld(fault, 'replace');
  }
});

test('a Skill that cannot be synced is a partial success with the way to finish it', async () => {
  writeFileSync(join(bench.machine.root, 'user/.agents'), 'a file in the way');
  const fault = await failure(runUpdate(request(), bench.machine.context()));
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
  expect(bench.machine.installed()).toBe(program('0.2.0').toString());
});

test('the Skill that an unfinished update owes is that of the installed version, whatever is newest', async () => {
  writeFileSync(join(bench.machine.root, 'user/.agents'), 'a file in the way');
  await failure(runUpdate(request(), bench.machine.context()));
  rmSync(join(bench.machine.root, 'user/.agents'));
  writeFileSync(join(bench.machine.skillFolder, 'SKILL.md'), 'an older Skill');
  await bench.machine.offer('0.1.5');
  const { status, run } = await runUpdate(
    { runningVersion: '0.2.0', targetVersion: undefined },
    bench.machine.context(),
  );
  expect([status, run.currentVersion, bench.machine.skill()]).toEqual([
    'skill_synced',
    '0.2.0',
    'the new Skill',
  ]);
});

test('an owed Skill that fails again keeps saying so, and nothing is lost', async () => {
  writeFileSync(join(bench.machine.root, 'user/.agents'), 'a file in the way');
  await failure(runUpdate(request(), bench.machine.context()));
  const fault = await failure(
    runUpdate({ runningVersion: '0.2.0', targetVersion: undefined }, bench.machine.context()),
  );
  expect([fault.code, fault.details]).toEqual([
    'E_IO',
    expect.objectContaining({
      stage: 'skill_sync',
      current_version: '0.2.0',
      binary_replaced: false,
      skill_sync_status: 'failed',
      skill_sync_command: 'npx skills add deed-cli/deed -y -g',
    }),
  ]);
  expect(bench.machine.installed()).toBe(program('0.2.0').toString());
});

test('two updates at once: both end well and the machine is sound', async () => {
  const results = await Promise.all([
    runUpdate(request(), bench.machine.context()),
    runUpdate(request(), bench.machine.context()),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(['up_to_date', 'updated']);
  expect(results.map(({ run }) => run.currentVersion)).toEqual(['0.2.0', '0.2.0']);
  expect([bench.machine.installed(), bench.machine.skill()]).toEqual([
    program('0.2.0').toString(),
    'the new Skill',
  ]);
  bench.machine.expectTidy();
});

test('leftovers of an update that was killed are removed and never used', async () => {
  const leftover = join(bench.machine.root, `bin/.deed-4999999-${'c'.repeat(32)}.update`);
  mkdirSync(leftover);
  writeFileSync(join(leftover, 'deed'), 'half a program');
  await runUpdate(request(), bench.machine.context());
  bench.machine.expectTidy();
});

test('a checkout is told how to update, a look at the newest release works there', async () => {
  const executable = join(bench.machine.root, 'checkout/dist/bin/deed');
  mkdirSync(dirname(executable), { recursive: true });
  writeFileSync(executable, '');
  writeFileSync(join(bench.machine.root, 'checkout/package.json'), '{"name":"deed-cli"}');
  const source = bench.machine.context({ executable });
  const fault = await failure(runUpdate(request(), source));
  expect([fault.code, fault.details.install_method]).toEqual(['E_CONFIG', 'source']);
  expect(fault.hint).toContain('git pull');
  expect((await checkUpdate(request(), source)).notice?.recommended_command).toContain('git pull');
});

test('on Windows the answer is that it is not applicable', async () => {
  const fault = await failure(runUpdate(request(), bench.machine.context({ platform: 'win32' })));
  expect(fault.code).toBe('E_CONFIG');
  expect(fault.message).toContain('not applicable on Windows');
});

test('what is said for an update that is given up in the middle tells its stage and the true state', async () => {
  let tell: (() => Fault) | undefined;
  const words: unknown[] = [];
  await runUpdate(
    request(),
    bench.machine.context({
      onForcedExit: (said) => (tell = said),
      progress: (message) => words.push([message, tell?.().details.stage, tell?.().details.current_version]),
    }),
  );
  expect(words.at(0)).toEqual(['Looking for the release (discover)', 'discover', '0.1.0']);
  expect(words.at(-1)).toEqual(['Syncing the Skill (skill_sync)', 'skill_sync', '0.2.0']);
});
