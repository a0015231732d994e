import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmInProcess, DEED, runInProcess, VYBE } from '../../test/fixtures/run-in-process.ts';
import type { Run } from '../../test/fixtures/run-deed.ts';
import { temporaryFolder } from '../../test/fixtures/temporary-folder.ts';

const folder = temporaryFolder('call-checks');
const options = { home: folder.path, env: { DEED_AGENT: 'ada' } };
afterAll(() => folder.dispose());

const deed = (...argv: string[]): Promise<Run> => runInProcess(argv, DEED, options);
const write = (...argv: string[]): Promise<Run> => confirmInProcess(argv, DEED, options);
const faultOf = async (...argv: string[]): Promise<string | undefined> =>
  (await deed(...argv)).envelope.error?.code;

let task = '';
beforeAll(async () => {
  task = (await write('task', 'create', '--title', 'one')).envelope.data.task.id as string;
});

describe('the dry run of a request that was made before', () => {
  const first = ['memory', 'set', '--key', 'a', '--value', '1', '--request-id', 'r1'];
  const setting = ['config', 'set', 'list.limit', '7', '--request-id', 'r3'];
  const batch = ['config', 'unset', '--keys', 'list.limit', '--request-id', 'r4'];

  it.each([
    [first, ['memory', 'set', '--key', 'a', '--value', '9', '--request-id', 'r2']],
    [setting, ['config', 'set', 'list.limit', '9']],
    [batch, ['config', 'set', 'list.limit', '11']],
  ])('shows no change, because a replay makes none (%j)', async (argv, later) => {
    expect((await write(...argv)).envelope.ok).toBe(true);
    expect((await write(...later)).envelope.ok).toBe(true);
    const run = await deed(...argv, '--dry-run');
    expect(run.envelope.data.preview).toMatchObject({ changes: [], replayed: true });
    expect(run.stderr).toContain('was already used for this write');
    expect((await write(...argv)).envelope.data.replayed).toBe(true);
  });

  it('reports under vybe too that it was made', async () => {
    const argv = ['memory', 'set', '--key', 'b', '--value', '1', '--agent', 'ada', '--request-id', 'v1'];
    await runInProcess(argv, VYBE, options);
    const run = await runInProcess([...argv, '--dry-run'], VYBE, options);
    expect(run.stdout).toContain('"replayed":true');
  });
});

describe('a dry run issues no token for a call that can only fail', () => {
  it.each([
    ['a dependency on itself', 'E_CONFLICT', () => ['task', 'add-dep', '--id', task, '--depends-on', task]],
    [
      'a dependency on an unknown task',
      'E_NOT_FOUND',
      () => ['task', 'add-dep', '--id', task, '--depends-on', 'task_zzzzzzzzzzzzz'],
    ],
    ['an empty push', 'E_VALIDATION', () => ['push']],
    ['artifacts without a task', 'E_VALIDATION', () => ['push', '--artifacts', '[{"file_path":"a.txt"}]']],
    ['a status without a task', 'E_VALIDATION', () => ['push', '--task-status', '{"status":"pending"}']],
  ] as const)('(%s)', async (_what, code, argv) => {
    expect(await faultOf(...argv(), '--dry-run')).toBe(code);
  });
});

describe('a call with contradicting or useless arguments is rejected', () => {
  it.each([
    ['E_USAGE', 'config', 'set', 'list.limit', '5', '--dry-run', '--confirm', 'ct_x'],
    ['E_USAGE', 'task', 'list', '--request-id', 'x'],
    ['E_NOT_FOUND', 'events', 'list', '--task-id', 'task_nope123'],
    ['E_NOT_FOUND', 'artifacts', 'list', '--task-id', 'nope'],
    ['E_NOT_FOUND', 'audit', 'list', '--command', 'nope'],
    ['E_VALIDATION', 'triage', 'watch', '--interval', '0s', '--rounds', '1'],
    ['E_VALIDATION', 'triage', 'explain', 'abc'],
    ['E_VALIDATION', 'triage', 'explain', '0x1'],
    ['E_VALIDATION', 'triage', 'explain', '--targets=-1'],
    ['E_VALIDATION', 'triage', 'feedback', '12abc', '--keep', '--dry-run'],
  ])('%s: %s %s %s %s %s', async (code, ...argv) => {
    const { stdout } = await deed(...argv);
    // The answer of a stream has one line for the error.
    const line = stdout.split('\n').find((text) => text.startsWith('{"ok":false'));
    const { error } = JSON.parse(line ?? stdout) as Run['envelope'];
    expect([error?.code, error?.message]).toEqual([code, expect.not.stringContaining('NaN')]);
  });

  it('lists the events of a deleted task', async () => {
    const id = (await write('task', 'create', '--title', 'deleted')).envelope.data.task.id as string;
    await write('task', 'delete', '--id', id);
    expect((await deed('events', 'list', '--task-id', id)).envelope.data.count).toBeGreaterThan(0);
  });
});

describe('an error says how to fix the call', () => {
  it.each([
    ['Pass exactly one of', 'work', 'run', '--dry-run'],
    ['Pass exactly one of', 'work', 'rollback', '--dry-run'],
    ['--keep', 'triage', 'feedback', '1', '--dry-run'],
    ['store export', 'store', 'import', '--from', '/nope', '--dry-run'],
    ['existing file', 'doctor', '--input', '@/nope'],
    ['Pass one of bash', 'completion', 'tcsh'],
  ])('%s: %s %s', async (hint, ...argv) => {
    expect((await deed(...argv)).envelope.error?.details.hint).toContain(hint);
  });

  it('a missing value is required, and a value out of range names the limit', async () => {
    const missing = await deed('config', 'set', 'list.limit', '--dry-run');
    expect(missing.envelope.error?.message).toBe('--value: is required.');
    const small = await deed('config', 'set', 'list.limit', '0', '--dry-run');
    expect(small.envelope.error?.message).toContain('at least 1');
  });
});

describe('a name with a secret in it is rejected before it is stored', () => {
  const token = `ghp_${'aB3dE5gH7j'.repeat(4)}`;
  it.each([
    ['key', ['memory', 'set', '--key', token, '--value', '1']],
    ['scope_id', ['memory', 'set', '--key', 'a', '--value', '1', '--scope', 'project', '--scope-id', token]],
    ['project_id', ['task', 'create', '--title', 'x', '--project-id', token]],
    ['agent', ['task', 'create', '--title', 'x', '--agent', token]],
    ['request_id', ['task', 'create', '--title', 'x', '--request-id', token]],
    ['event.kind', ['push', '--event', JSON.stringify({ kind: token, message: 'x' })]],
    [
      'artifacts[0].file_path',
      ['push', '--task-id', 'TASK', '--artifacts', JSON.stringify([{ file_path: token }])],
    ],
  ] as const)('(%s)', async (field, argv) => {
    const run = await deed(...argv.map((word) => (word === 'TASK' ? task : word)), '--dry-run');
    expect(run.envelope.error).toMatchObject({ code: 'E_VALIDATION', details: { field, kind: 'github' } });
    expect(run.stdout).not.toContain(token);
  });
});
