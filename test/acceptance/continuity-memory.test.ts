import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { confirmed, createHome, deed } from '../fixtures/run-deed.ts';
import { vybe, type VybeRun } from '../fixtures/run-vybe.ts';

let home: ReturnType<typeof createHome>;
let requests = 0;
beforeEach(() => {
  home = createHome();
  return () => home.dispose();
});

const run = (...argv: string[]): VybeRun => vybe(argv, { home: home.path, cwd: home.path });
const write = (...argv: string[]): VybeRun['answer'] =>
  run(...argv, '--agent', 'ada', '--request-id', `r${(requests += 1)}`).answer;
const search = (...query: string[]): string[] =>
  run('memory', 'search', '--query', ...query).answer.data.memories.map(({ key }: { key: string }) => key);

describe('a memory search', () => {
  it('finds a note by a question: by stems, by some of its words, by related words and by a beginning', () => {
    write('memory', 'set', '-k', 'a', '-v', 'The nightly deployment runs at 02:00 on the Frankfurt cluster.');
    write('memory', 'set', '-k', 'b', '-v', 'Grace is on parental leave until June.');
    write('memory', 'set', '-k', 'c', '-v', 'The parser keeps time zones.');
    expect(search('When do we deploy to Frankfurt?')[0]).toBe('a');
    expect(search('Is grace away?')[0]).toBe('b');
    expect(search('pars')).toEqual(['c']);
    expect(search('wombat')).toEqual([]);
    expect(run('memory', 'search', '--query', '?!').answer.error_code).toBe('E_VALIDATION');
  });

  it('puts a directive before a decision, a decision before a note, and the newer before the older, if they match equally well', () => {
    const set = (key: string, value: string, kind: string): unknown =>
      write('push', '--json', JSON.stringify({ memories: [{ key, value, kind }] }));
    const value = 'Indent with spaces.';
    const directive = ['memory', 'set', '--key', 'first', '--value', value, '--kind', 'directive'];
    confirmed(directive, { home: home.path });
    set('fourth', value, 'fact');
    set('third', value, 'lesson');
    set('second', value, 'decision');
    set('best', 'Indent with spaces, and indent the indented lines again.', 'fact');
    expect(search('indent')).toEqual(['best', 'first', 'second', 'third', 'fourth']);
    write('memory', 'set', '-k', 'fourth', '-v', value);
    expect(search('indent')).toEqual(['best', 'first', 'second', 'fourth', 'third']);
  });

  it('returns pages without repetition', () => {
    const memories = Array.from({ length: 30 }, (_, index) => ({
      key: `k${index}`,
      value: `release ${index}`,
    }));
    write('push', '--json', JSON.stringify({ memories }));
    const seen: string[] = [];
    let cursor: string[] = [];
    for (let page = 0; page < 3; page += 1) {
      const { data } = run('memory', 'search', '--query', 'release', '--limit', '10', ...cursor).answer;
      seen.push(...data.memories.map(({ key }: { key: string }) => key));
      cursor = ['--cursor', data.next_cursor];
    }
    expect(new Set(seen).size).toBe(30);
  });
});

describe('a memory', () => {
  it('is confirmed by the same value, and superseded by another one, which it names', () => {
    const get = (): { id: number; updated_at: string; confirmed_at: string } =>
      run('memory', 'get', '-k', 'port').answer.data;
    write('memory', 'set', '-k', 'port', '-v', '8080');
    const first = get();
    write('memory', 'set', '-k', 'port', '-v', '8080');
    const confirmedNow = get();
    expect([confirmedNow.id, confirmedNow.updated_at]).toEqual([first.id, first.updated_at]);
    expect(confirmedNow.confirmed_at > first.confirmed_at).toBe(true);
    write('memory', 'set', '-k', 'port', '-v', '9090');
    const { items } = deed(['memory', 'history', '--key', 'port'], { home: home.path }).envelope.data;
    expect(items.map(({ value, superseded_by }: Record<string, string>) => [value, superseded_by])).toEqual([
      ['9090', undefined],
      ['8080', items[0].id],
    ]);
  });

  it('of a person comes before a decision, a decision before a note, and a contradiction is shown once', () => {
    write('memory', 'set', '-k', 'indent', '-v', 'tabs');
    const { task } = write('task', 'create', '--title', 'Format', '--project-id', '/app').data;
    write('memory', 'set', '-k', 'indent', '-v', 'four spaces', '-s', 'task', '--scope-id', task.id);
    const decision = {
      key: 'indent',
      value: 'two spaces',
      kind: 'decision',
      scope: 'project',
      scope_id: '/app',
    };
    write('push', '--json', JSON.stringify({ memories: [decision] }));
    const notes = (): { value: string; overrides?: { value: string }[] }[] =>
      run('resume', '--peek', '--agent', 'ada', '--project-dir', '/app').answer.data.brief.relevant_memory;
    const shown = (): unknown =>
      notes().map(({ value, overrides }) => [value, overrides?.map((other) => other.value)]);
    expect(shown()).toEqual([['two spaces', ['four spaces', 'tabs']]]);
    const directive = ['memory', 'set', '--key', 'indent', '--value', 'eight spaces', '--kind', 'directive'];
    confirmed([...directive, '--scope', 'agent', '--scope-id', 'ada'], { home: home.path });
    expect(shown()).toEqual([['eight spaces', ['two spaces', 'four spaces', 'tabs']]]);
  });

  it('of a person stays in the brief behind any number of newer notes, and overrides what they say under its key', () => {
    const directive = ['memory', 'set', '--key', 'indent', '--value', 'eight spaces', '--kind', 'directive'];
    confirmed(directive, { home: home.path });
    const other = { key: 'encoding', value: 'UTF-8', kind: 'decision' };
    const newer = Array.from({ length: 45 }, (_, index) => ({ key: `k${index}`, value: `plain ${index}` }));
    const memories = [
      other,
      ...newer,
      { key: 'indent', value: 'tabs', scope: 'project', scope_id: '/app' },
      { key: 'encoding', value: 'Latin-1', scope: 'project', scope_id: '/app' },
    ];
    write('push', '--json', JSON.stringify({ memories }));
    const { prompt } = write('resume', '--project-dir', '/app').data;
    expect(prompt).toMatch(/Directives[^\n]*\n- indent: eight spaces .*overrides project: tabs/u);
    expect(prompt).toMatch(/- encoding: UTF-8 .*overrides project: Latin-1/u);
    expect(prompt).not.toMatch(/- indent: tabs|- encoding: Latin-1/u);
  });

  it('is found without its scope: the list names the scopes that have memories, and the title of a task', () => {
    const { task } = write('task', 'create', '--title', 'Format').data;
    for (const key of ['a', 'b'])
      write('memory', 'set', '-k', key, '-v', 'x', '-s', 'task', '--scope-id', task.id);
    write('memory', 'set', '-k', 'c', '-v', 'x', '-s', 'project', '--scope-id', '/app');
    write('memory', 'set', '-k', 'c', '-v', 'y', '-s', 'project', '--scope-id', '/app');
    write('memory', 'set', '-k', 'd', '-v', 'x');
    const { data } = deed(['memory', 'list', '--scopes'], { home: home.path }).envelope;
    expect([data.items.length, data.scopes]).toEqual([
      1,
      [
        { scope: 'global', memories: 1 },
        { scope: 'project', scope_id: '/app', memories: 1 },
        { scope: 'task', scope_id: task.id, title: 'Format', memories: 2 },
      ],
    ]);
    expect(data._untrusted).toEqual(expect.arrayContaining(['scopes[].title']));
  });

  it('of a task needs the task, and is forgotten with it', () => {
    const scope = ['-s', 'task', '--scope-id'];
    expect(write('memory', 'set', '-k', 'x', '-v', 'y', ...scope, 'task_none').error_code).toBe(
      'E_NOT_FOUND',
    );
    const { task } = write('task', 'create', '--title', 'Short').data;
    write('memory', 'set', '-k', 'wombat', '-v', 'wombat', ...scope, task.id);
    expect(search('wombat')).toEqual(['wombat']);
    write('task', 'delete', '--id', task.id);
    expect(search('wombat')).toEqual([]);
    expect(run('memory', 'list', ...scope, task.id).answer.data.count).toBe(0);
  });

  it.each(['999999w', '4000d'])('cannot expire after %s', (expiry) => {
    const answer = write('memory', 'set', '-k', 'x', '-v', 'y', '--expires-in', expiry);
    expect(answer).toMatchObject({ error_code: 'E_VALIDATION', error_context: { field: 'expires_in' } });
  });

  it('cannot expire in the past', () => {
    const memories = [{ key: 'x', value: 'y', expires_at: '2001-01-01T00:00:00Z' }];
    expect(write('push', '--json', JSON.stringify({ memories })).error).toContain('in the past');
  });
});

describe('vybe', () => {
  it('rejects a blank title, and accepts event metadata as JSON text', () => {
    expect(write('task', 'create', '--title', ' \t ').error_code).toBe('E_VALIDATION');
    const event = { kind: 'progress', message: 'x', metadata: '{"file":"a.ts"}' };
    write('push', '--json', JSON.stringify({ event }));
    const [stored] = run('events', 'list', '--all', '--kind', 'progress').answer.data.events;
    expect(stored.metadata).toEqual({ file: 'a.ts' });
    const broken = { ...event, metadata: 'a.ts' };
    expect(write('push', '--json', JSON.stringify({ event: broken })).error_code).toBe('E_VALIDATION');
  });

  it('says which recorded files changed or are missing', () => {
    const { task } = write('task', 'create', '--title', 'Files', '--project-id', home.path).data;
    for (const name of ['same.txt', 'changed.txt', 'gone.txt']) writeFileSync(join(home.path, name), 'one');
    const artifacts = ['same.txt', 'changed.txt', 'gone.txt'].map((file_path) => ({ file_path }));
    write('push', '--json', JSON.stringify({ task_id: task.id, artifacts }));
    writeFileSync(join(home.path, 'changed.txt'), 'two');
    rmSync(join(home.path, 'gone.txt'));
    const expected = { 'same.txt': undefined, 'changed.txt': 'changed', 'gone.txt': 'missing' };
    const states = (list: { file_path: string; state?: string }[]): unknown =>
      Object.fromEntries(list.map(({ file_path, state }) => [file_path, state]));
    expect(states(run('artifacts', 'list', '--task-id', task.id).answer.data.artifacts)).toEqual(expected);
    const resumed = write('resume', '--project-dir', home.path).data;
    expect(states(resumed.brief.artifacts)).toEqual(expected);
    expect(resumed.prompt).toContain('gone.txt (no longer exists)');
  });

  it('finds a recorded file from any folder: where it was recorded, or else in the folder of its project', () => {
    const inFolder = (cwd: string, ...argv: string[]): VybeRun['answer']['data'] =>
      vybe([...argv, '--agent', 'ada'], { home: home.path, cwd }).answer.data;
    const old = join(home.path, 'old');
    const packages = join(old, 'packages');
    mkdirSync(packages, { recursive: true });
    for (const name of ['readme.md', 'packages/readme.md', 'packages/index.ts'])
      writeFileSync(join(old, name), `content of ${name}`);
    const { task } = write('task', 'create', '--title', 'Files', '--project-id', old).data;
    const artifacts = [{ file_path: 'readme.md' }, { file_path: 'index.ts' }];
    const document = JSON.stringify({ task_id: task.id, artifacts });
    inFolder(packages, 'push', '--json', document, '--request-id', 'files');
    const states = (): unknown =>
      inFolder(home.path, 'artifacts', 'list', '--task-id', task.id).artifacts.map(
        ({ state }: { state?: string }) => state,
      );
    expect(states()).toEqual([undefined, undefined]);
    renameSync(join(packages, 'index.ts'), join(old, 'index.ts'));
    expect(states()).toEqual([undefined, undefined]);
    renameSync(old, join(home.path, 'moved'));
    expect(states()).toEqual(['missing', 'missing']);
  });

  it('describes the document of a push, whether a query works, and no command that it lacks', () => {
    expect(run('push', '--help').stdout).toMatch(/task_id.*event.*memories.*artifacts.*task_status/su);
    write('memory', 'set', '-k', 'x', '-v', 'y');
    expect(run('status').answer.data.query_ok).toBe(true);
    writeFileSync(join(home.path, 'broken.db'), 'not a database'.repeat(100));
    expect(run('status', '--db-path', join(home.path, 'broken.db')).answer.data.query_ok).toBe(false);
    expect(run('schema', 'commands').stdout).not.toContain('"brief"');
  });
});

describe('deed events list', () => {
  it('shows a person the events of all agents', () => {
    write('push', '--json', '{"event":{"kind":"progress","message":"by ada"}}');
    const { items } = deed(['events', 'list'], { home: home.path }).envelope.data;
    expect(items.map(({ message }: { message: string }) => message)).toContain('by ada');
  });
});

describe('memory set', () => {
  it('previews what it would store: the value of a key that names a secret is masked', () => {
    const secret = ['memory', 'set', '--key', 'db_password', '--value', 'hunter2Pa55', '--dry-run'];
    const preview = deed(secret, { home: home.path });
    expect(preview.envelope.data.preview.changes[0].after.value).toBe('[REDACTED]');
    expect(preview.stdout).not.toContain('hunter2Pa55');
  });
});

describe('memory confirm', () => {
  it('records that a value is still correct, without a new version; a directive needs a person', () => {
    const place = [
      '--key',
      'port',
      '--scope',
      'project',
      '--scope-id',
      'app',
      '--db-path',
      join(home.path, 'own.db'),
    ];
    const options = { home: home.path };
    confirmed(['memory', 'set', ...place, '--value', '8080', '--agent', 'ada'], options);
    const before = deed(['memory', 'get', ...place], options).envelope.data;
    const { data } = confirmed(['memory', 'confirm', ...place, '--agent', 'grace'], options).envelope;
    const after = deed(['memory', 'get', ...place], options).envelope.data;
    expect(data).toMatchObject({ key: 'port', scope: 'project', scope_id: 'app' });
    expect([after.id, after.updated_at, after.source_agent]).toEqual([before.id, before.updated_at, 'ada']);
    expect(after.confirmed_at).toBe(data.confirmed_at);
    expect(after.confirmed_at > before.confirmed_at).toBe(true);
    confirmed(['memory', 'set', '--key', 'rule', '--value', 'ask first', '--kind', 'directive'], options);
    const applied = confirmed(['memory', 'confirm', '--key', 'rule', '--agent', 'ada'], options).envelope;
    expect(applied.error?.code).toBe('E_HUMAN_REQUIRED');
    expect(applied.error?.details).toMatchObject({
      action: 'write_directive',
      resume: 'deed memory get --key rule',
    });
  });
});
