import { afterAll, describe, expect, it } from 'vitest';
import { createHome, deed, type Envelope } from '../fixtures/run-deed.ts';
import { vybe, type VybeAnswer } from '../fixtures/run-vybe.ts';

const home = createHome();
afterAll(() => home.dispose());
const read = (...argv: string[]): Envelope => deed(argv, { home: home.path }).envelope;
const call = (...argv: string[]): VybeAnswer => vybe(argv, { home: home.path }).answer;
let calls = 0;
const write = (...argv: string[]): VybeAnswer =>
  call(...argv, '--agent', 'lean', '--request-id', `lean-${(calls += 1)}`);

describe('a write with --fields', () => {
  it('returns only the selected fields, of its preview and of its answer', () => {
    const create = ['task', 'create', '--title', 'Ship it', '--agent', 'lean'];
    const preview = read(...create, '--dry-run', '--fields', 'confirm_token');
    expect(Object.keys(preview.data)).toEqual(['confirm_token']);
    const token = preview.data.confirm_token as string;
    const { data } = read(...create, '--confirm', token, '--fields', 'task.title,event_id');
    expect(data).toEqual({ task: { title: 'Ship it' }, event_id: '1', _untrusted: ['task.title'] });
  });

  it('rejects an unknown field before anything is written', () => {
    const argv = ['config', 'set', 'list.limit', '5'];
    const { data } = read(...argv, '--dry-run', '--fields', 'confirm_token,expires_at');
    expect(read(...argv, '--dry-run', '--fields', 'key').error).toMatchObject({
      code: 'E_VALIDATION',
      details: { allowed: ['preview', 'preview.changes', 'confirm_token', 'expires_at'] },
    });
    const token = data.confirm_token as string;
    expect(read(...argv, '--confirm', token, '--fields', 'kye').error?.code).toBe('E_VALIDATION');
    expect(read('config', 'get', 'list.limit').data.source).toBe('default');
    expect(read(...argv, '--confirm', token, '--fields', 'key').data).toEqual({ key: 'list.limit' });
  });

  it('still says that an answer is an old one', () => {
    const first = write('task', 'create', '--title', 'Once', '--fields', 'task.id');
    calls -= 1;
    const again = write('task', 'create', '--title', 'Once', '--fields', 'task.id');
    expect(again.data).toEqual({ ...first.data, replayed: true });
  });
});

describe('vybe with --fields', () => {
  it('keeps the names of its lists, and accepts them in a path', () => {
    const lean = call('task', 'list', '--fields', 'title');
    expect(lean.data).toEqual({ count: 2, tasks: [{ title: 'Ship it' }, { title: 'Once' }] });
    expect(call('task', 'list', '--fields', 'tasks[].title').data).toEqual(lean.data);
    expect(call('task', 'list', '--fields', 'count').data).toEqual({ count: 2 });
  });

  it('rejects an unknown field', () => {
    expect(call('task', 'list', '--fields', 'titel')).toMatchObject({
      success: false,
      error_code: 'E_VALIDATION',
    });
  });
});

describe('vybe help <command>', () => {
  it('has the shape of the document and of the answer', () => {
    const [push] = call('help', 'push').data.commands;
    expect(push).toMatchObject({ command: 'push', mutates: true, requires_request_id: true });
    expect(push.json_shape).toMatchObject({
      'task_id?': 'string',
      'event?': { kind: 'string', message: 'string' },
      'memories?': [{ key: 'string', value: 'any', 'scope?': 'global|project|task|agent' }],
    });
    expect(push.data_shape).toMatchObject({ 'event_id?': 'integer' });
    const [list] = call('help', 'task', 'list').data.commands;
    expect(list.data_shape).toMatchObject({ count: 'integer', tasks: [{ id: 'string', title: 'string' }] });
  });
});

describe('a list', () => {
  it('has the number of rows on all pages', () => {
    const page = (...argv: string[]): unknown[] => {
      const { count, total, has_more, next_cursor } = read(...argv).data;
      return [
        count,
        total,
        has_more,
        ...(next_cursor === null ? [] : page(...argv.slice(0, 4), '--cursor', next_cursor)),
      ];
    };
    expect(page('task', 'list', '--limit', '1')).toEqual([1, 2, true, 1, 2, false]);
    write('memory', 'set', '--key', 'a', '--value', '1');
    write('memory', 'set', '--key', 'b', '--value', '2');
    expect(page('memory', 'list', '--limit', '1')).toEqual([1, 2, true, 1, 2, false]);
    const { total } = read('events', 'list', '--all').data;
    expect(read('events', 'list', '--all', '--limit', '1').data.total).toBe(total);
    expect(read('config', 'list', '--limit', '3').data.total).toBe(
      read('config', 'list', '--limit', '1000').data.count,
    );
  });

  it('counts with its filters', () => {
    write('task', 'create', '--title', 'Third', '--priority', '7');
    expect(read('task', 'list', '--priority', '7', '--limit', '1').data).toMatchObject({ total: 1 });
    expect(read('task', 'list', '--ready', '--limit', '1').data).toMatchObject({ count: 1, total: 3 });
    expect(read('task', 'list', '--status', 'blocked', '--limit', '1').data).toMatchObject({ total: 0 });
    expect(call('task', 'list', '--limit', '1').data).toMatchObject({ count: 1, has_more: true, total: 3 });
    expect(call('task', 'list').data).not.toHaveProperty('total');
  });
});

describe('reference', () => {
  it('--index lists the summaries of all commands by effect', () => {
    const { index, ...rest } = read('reference', '--index').data;
    expect(rest).toEqual({ tool: 'deed', version: expect.any(String) as string });
    const { commands } = read('reference', '--fields', 'commands[].path,commands[].type').data;
    const paths = [...Object.keys(index.read), ...Object.keys(index.write)];
    expect(paths.toSorted()).toEqual(commands.map(({ path }: { path: string }) => path).toSorted());
    expect(index.write['task create']).toBe('Create a task in the queue');
    expect(Object.keys(read('reference', '--index', '--domain', 'store').data.index.read)).toEqual([
      'store check',
    ]);
  });

  it('--command describes one command, without what applies to all', () => {
    const { data } = read('reference', '--command', 'config set');
    expect(Object.keys(data)).toEqual(['tool', 'version', 'commands', 'schemas']);
  });

  it('--fields selects members of the commands', () => {
    const { data } = read(
      'reference',
      '--command',
      'config set',
      '--fields',
      'commands[].params.flag,commands[].gate',
    );
    expect(data.commands).toEqual([{ gate: 'confirm', params: [{ flag: '--key' }, { flag: '--value' }] }]);
  });
});
