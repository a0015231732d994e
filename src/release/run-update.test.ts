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
  bench.machine.expectNoLeftovers();
});

test('an update to the running version changes and downloads nothing', async () => {
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

test('an update with the running version as its target sends no request', async () => {
  const { status, run } = await runUpdate(request('0.1.0'), bench.machine.context());
  expect([status, run.currentVersion, run.targetVersion]).toEqual(['up_to_date', '0.1.0', '0.1.0']);
  expect(bench.server.requests).toEqual([]);
});

test('a downgrade happens only with an explicit target version', async () => {
  const running = { runningVersion: '0.3.0', targetVersion: undefined };
  expect((await runUpdate(running, bench.machine.context())).status).toBe('up_to_date');
  writeFileSync(bench.machine.executable, program('0.3.0'));
  const { status, run } = await runUpdate({ ...running, targetVersion: '0.2.0' }, bench.machine.context());
  expect([status, run.currentVersion]).toEqual(['updated', '0.2.0']);
});

test('a version that does not exist is not found', async () => {
  const fault = await failure(runUpdate(request('9.9.9'), bench.machine.context()));
  expect(fault.code).toBe('E_NOT_FOUND');
  bench.machine.expectUnchanged(fault, 'discover');
});

test('a program that does not start, or has a different version, is not installed', async () => {
  for (const executable of [
    Buffer.from('\u007FELF nonsense'),
    program('0.2.1'),
    Buffer.from('#!/bin/sh\nexit 1\n'),
  ]) {
    await bench.machine.publishRelease('0.2.0', executable);
    const fault = await failure(runUpdate(request(), bench.machine.context()));
    expect(fault.code).toBe('E_CONFIG');
    bench.machine.expectUnchanged(fault, 'replace');
  }
});

test('a failed Skill sync is a partial success, and the error explains how to finish it', async () => {
  writeFileSync(join(bench.machine.root, 'user/.agents'), 'a file in the way');
  const fault = await failure(runUpdate(request(), bench.machine.context()));
  expect(fault.code).toBe('E_SKILL_SYNC');
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

test('a pending Skill sync uses the release of the installed version, not the newest one', async () => {
  writeFileSync(join(bench.machine.root, 'user/.agents'), 'a file in the way');
  await failure(runUpdate(request(), bench.machine.context()));
  rmSync(join(bench.machine.root, 'user/.agents'));
  writeFileSync(join(bench.machine.skillFolder, 'SKILL.md'), 'an older Skill');
  await bench.machine.publishRelease('0.1.5');
  const { status, run } = await runUpdate(
    { runningVersion: '0.2.0', targetVersion: undefined },
    bench.machine.context(),
  );
  expect([status, run.previousVersion, run.currentVersion, bench.machine.skill()]).toEqual([
    'skill_synced',
    '0.1.0',
    '0.2.0',
    'the new Skill',
  ]);
});

test('a pending Skill sync that fails again stays pending', async () => {
  writeFileSync(join(bench.machine.root, 'user/.agents'), 'a file in the way');
  await failure(runUpdate(request(), bench.machine.context()));
  const fault = await failure(
    runUpdate({ runningVersion: '0.2.0', targetVersion: undefined }, bench.machine.context()),
  );
  expect([fault.code, fault.details]).toEqual([
    'E_SKILL_SYNC',
    expect.objectContaining({
      stage: 'skill_sync',
      previous_version: '0.1.0',
      changelog_command: 'deed changelog --since 0.1.0',
      current_version: '0.2.0',
      binary_replaced: false,
      skill_sync_status: 'failed',
      skill_sync_command: 'npx skills add deed-cli/deed -y -g',
    }),
  ]);
  expect(bench.machine.installed()).toBe(program('0.2.0').toString());
});

test('two concurrent updates both succeed, and one of them replaces the program', async () => {
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
  bench.machine.expectNoLeftovers();
});

test('files of a killed update are removed and never used', async () => {
  const leftover = join(bench.machine.root, `bin/.deed-4999999-${'c'.repeat(32)}.update`);
  mkdirSync(leftover);
  writeFileSync(join(leftover, 'deed'), 'half a program');
  await runUpdate(request(), bench.machine.context());
  bench.machine.expectNoLeftovers();
});

test('in a checkout an update fails with the command to run, and a check works', async () => {
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

test('on Windows an update fails with E_CONFIG', async () => {
  const fault = await failure(runUpdate(request(), bench.machine.context({ platform: 'win32' })));
  expect(fault.code).toBe('E_CONFIG');
  expect(fault.message).toContain('not supported on Windows');
});

test('the error of a forced exit contains the stage and the state at that moment', async () => {
  let createFault: (() => Fault) | undefined;
  const reports: unknown[] = [];
  await runUpdate(
    request(),
    bench.machine.context({
      onForcedExit: (create) => (createFault = create),
      progress: (message) => {
        const details = createFault?.().details;
        reports.push([message, details?.stage, details?.current_version]);
      },
    }),
  );
  expect(reports.at(0)).toEqual(['Looking for the release (discover)', 'discover', '0.1.0']);
  expect(reports.at(-1)).toEqual(['Syncing the Skill (skill_sync)', 'skill_sync', '0.2.0']);
});
