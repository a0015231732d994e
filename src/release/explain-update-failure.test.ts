import { expect, test } from 'vitest';
import { Fault } from '../base/fault.ts';
import { explainUpdateFailure } from './explain-update-failure.ts';
import { createUpdateRun, type UpdateRun } from './update-run.ts';

const notAborted = new AbortController().signal;
const run = (more: Partial<UpdateRun> = {}): UpdateRun => ({
  ...createUpdateRun('0.1.0'),
  targetVersion: '0.2.0',
  ...more,
});
const replaced = run({
  stage: 'skill_sync',
  currentVersion: '0.2.0',
  binaryReplaced: true,
  skillSyncStatus: 'failed',
});

test('every failure has the state of the installation in its details', () => {
  const fault = explainUpdateFailure(
    new Fault('E_SERVER', 'It is down.', { details: { status: 500 } }),
    run({ stage: 'download' }),
    notAborted,
  );
  expect([fault.code, fault.message]).toEqual([
    'E_SERVER',
    'It is down. Nothing was changed: deed is still 0.1.0. This is transient: run "deed update" again, it is idempotent.',
  ]);
  expect(fault.details).toEqual({
    status: 500,
    stage: 'download',
    previous_version: '0.1.0',
    current_version: '0.1.0',
    target_version: '0.2.0',
    install_method: null,
    command: null,
    binary_replaced: false,
    install_damaged: false,
    skill_sync_status: 'not_started',
  });
});

test('a failed Skill sync is E_SKILL_SYNC for any cause', () => {
  const codes = ['E_NETWORK', 'E_TIMEOUT', 'E_SERVER', 'E_FORBIDDEN', 'E_IO', 'E_UNKNOWN'];
  for (const code of codes)
    expect(explainUpdateFailure(new Fault(code, 'No.'), replaced, notAborted).code).toBe('E_SKILL_SYNC');
  expect(explainUpdateFailure(new Fault('E_IO', 'No.'), replaced, notAborted).message).toBe(
    'deed is now 0.2.0, but its Skill is not synced: No. Run "npx skills add deed-cli/deed -y -g" or "deed update", then "deed changelog --since 0.1.0".',
  );
});

test('a package manager that fails after it replaced the program is E_NETWORK or E_IO', () => {
  const codes = ['E_NETWORK', 'E_TIMEOUT', 'E_FORBIDDEN', 'E_IO'];
  const replacing = run({ stage: 'replace', currentVersion: '0.1.5', binaryReplaced: true });
  expect(
    codes.map((code) => explainUpdateFailure(new Fault(code, 'No.'), replacing, notAborted).code),
  ).toEqual(['E_NETWORK', 'E_NETWORK', 'E_IO', 'E_IO']);
});

test('a repeated Skill sync of an unknown replaced version names no changelog', () => {
  const repeated = run({ ...replaced, previousVersion: '0.2.0', binaryReplaced: false });
  const fault = explainUpdateFailure(new Fault('E_IO', 'No.'), repeated, notAborted);
  expect([fault.details.changelog_command, fault.message]).toEqual([
    undefined,
    'No. Nothing was changed: deed is still 0.2.0, its Skill is not synced yet. Run "npx skills add deed-cli/deed -y -g" or "deed update".',
  ]);
});

test('an interruption reports whether anything changed', () => {
  const aborted = AbortSignal.abort();
  expect(explainUpdateFailure(new Fault('E_NETWORK', 'cut'), run(), aborted)).toMatchObject({
    code: 'E_INTERRUPTED',
    message: expect.stringContaining('no change, deed is still 0.1.0'),
  });
  expect(
    explainUpdateFailure(
      new Fault('E_INTERRUPTED', 'cut'),
      { ...replaced, skillSyncStatus: 'pending' },
      aborted,
    ),
  ).toMatchObject({
    code: 'E_INTERRUPTED',
    message: expect.stringContaining('deed is now 0.2.0'),
    details: { skill_sync_command: 'npx skills add deed-cli/deed -y -g' },
  });
});

test('an interruption hides neither an integrity failure nor a damaged install', () => {
  const aborted = AbortSignal.abort();
  expect(explainUpdateFailure(new Fault('E_INTEGRITY', 'Forged.'), run(), aborted)).toMatchObject({
    code: 'E_INTEGRITY',
    message: expect.stringContaining('do NOT retry'),
  });
  const broken = explainUpdateFailure(
    new Fault('E_IO', 'No package.', { hint: 'Repair it.' }),
    run({ installDamaged: true }),
    aborted,
  );
  expect([broken.code, broken.message, broken.details.install_damaged]).toEqual([
    'E_IO',
    'No package. Repair it.',
    true,
  ]);
});

test('an unexpected error is E_UNKNOWN with the same details', () => {
  const fault = explainUpdateFailure(new TypeError('odd'), run(), notAborted);
  expect([fault.code, fault.details.stage, fault.details.binary_replaced]).toEqual([
    'E_UNKNOWN',
    'discover',
    false,
  ]);
});
