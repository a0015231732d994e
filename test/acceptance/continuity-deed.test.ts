import { STORE_SCHEMA_VERSION } from '../../src/continuity/database/sqlite/migrations.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { confirmed, createHome, deed, type Run } from '../fixtures/run-deed.ts';
import { vybe } from '../fixtures/run-vybe.ts';

const home = createHome();
afterAll(() => home.dispose());
const db = join(home.path, 'journal.db');
const options = { home: home.path, cwd: home.path };
const store = ['--db-path', db];
const who = ['--agent', 'claude-app', ...store];
const read = (...argv: string[]): Run => deed(argv, options);
const write = (...argv: string[]): Run => confirmed([...argv, ...who], options);
const ok = (run: Run): Run['envelope']['data'] => {
  expect(run.envelope.error).toBeUndefined();
  return run.envelope.data;
};
const TASK_FLAGS = ['--project-id', 'app', '--priority', '2'];
let requests = 0;
/** Creates a task with one call of vybe, for tests of other commands. */
const task = (title: string): string => {
  const flags = ['--title', title, ...TASK_FLAGS, '--request-id', `task-${(requests += 1)}`];
  return vybe(['task', 'create', ...flags, ...who], options).answer.data.task.id as string;
};

describe('continuity under deed', () => {
  it('shows in the dry run of a push and of a new task what would be stored', () => {
    const after = (...argv: string[]): unknown =>
      ok(read(...argv, ...who, '--dry-run')).preview.changes[0].after;
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const push = {
      event: { kind: 'note', message: `used ${secret}`, metadata: { file: 'a.ts' } },
      memories: { key: 'fact', value: 'x'.repeat(600), kind: 'lesson' },
      artifacts: [],
    };
    expect(after('push', '--input', JSON.stringify(push))).toEqual({
      event: { kind: 'note', message: 'used [REDACTED]', metadata: { file: 'a.ts' } },
      memories: [
        { scope: 'global', key: 'fact', value: `${'x'.repeat(500)}…`, value_type: 'string', kind: 'lesson' },
      ],
    });
    expect(after('task', 'create', '--title', 'A', '--description', `with ${secret}`)).toEqual({
      title: 'A',
      description: 'with [REDACTED]',
      project_id: null,
      priority: 0,
    });
  });

  it('names the member of a push that is wrong, its value and what is expected', () => {
    const problem = (memories: unknown): unknown =>
      read('push', '--memories', JSON.stringify(memories), ...who, '--dry-run').envelope.error?.message;
    expect(problem([{ key: 1, value: 'a' }])).toBe('memories.0.key: must be of type string, not 1.');
    expect(problem({ key: 'a', value: 'b', scope: 'team' })).toBe(
      'memories.scope: must be one of global, project, task, agent, not "team".',
    );
    expect(problem({ value: 'b' })).toBe('memories.key: is required.');
    expect(problem([{ value: 'b' }])).toBe('memories.0.key: is required.');
    expect(problem(7)).toBe('--memories: must be of type array or object, not 7.');
  });

  it('requires a token for every write, bound to the version of the task', () => {
    const created = ok(write('task', 'create', '--title', 'Bound', '--description', 'how', ...TASK_FLAGS));
    const id = created.task.id as string;
    const argv = ['task', 'set-priority', '--id', id, '--priority', '9', ...who];
    expect(read(...argv).envelope.error?.code).toBe('E_CONFIRMATION_REQUIRED');
    const { preview, confirm_token } = ok(read(...argv, '--dry-run'));
    expect(preview.changes).toEqual([
      {
        action: 'set-priority',
        resource: 'task',
        id,
        before: { title: 'Bound', status: 'pending', priority: 2 },
        after: { priority: 9 },
        version: '1',
      },
    ]);
    ok(write('task', 'set-status', '--id', id, '--status', 'blocked', '--blocked-reason', 'a reason'));
    const edited = ok(write('task', 'edit', '--id', id, '--title', 'Bound', '--description', 'how else'));
    expect(edited.task).toMatchObject({ title: 'Bound', description: 'how else', status: 'blocked' });
    const [event] = ok(read('events', 'list', '--all', '--kind', 'task_edited', ...store)).items;
    expect(event).toMatchObject({ task_id: id, metadata: { before: { description: 'how' } } });
    const empty = read('task', 'edit', '--id', id, '--dry-run', ...who).envelope;
    expect(empty.error).toMatchObject({ code: 'E_VALIDATION', details: { field: 'title' } });
    expect(read(...argv, '--confirm', confirm_token).envelope.error?.code).toBe('E_CONFLICT');
    expect(ok(read('task', 'get', '--id', id, ...store))).toMatchObject({
      priority: 2,
      status: 'blocked',
      blocked_reason: 'a reason',
    });
  });

  it('rejects a change of status that expects another one, and names who changed it', () => {
    const id = task('Moved');
    const move = (status: string) => ['task', 'set-status', '--id', id, '--status', status, ...who];
    const expecting = [...move('blocked'), '--expected-status', 'pending'];
    const { confirm_token } = ok(read(...expecting, '--dry-run'));
    ok(write('task', 'set-status', '--id', id, '--status', 'completed'));
    const refused = {
      code: 'E_CONFLICT',
      details: {
        reason: 'status-changed',
        id,
        expected_status: 'pending',
        status: 'completed',
        changed_by: who[1],
        changed_at: expect.stringMatching(/^\d{4}-/u) as string,
      },
    };
    expect(read(...expecting, '--confirm', confirm_token).envelope.error).toMatchObject(refused);
    expect(read(...expecting, '--dry-run').envelope.error).toMatchObject(refused);
    expect(ok(read('task', 'get', '--id', id, ...store)).status).toBe('completed');
  });

  it('rejects a change of a text or a priority that has changed since the caller saw it, and names who changed it', () => {
    const id = task('Seen');
    const seen = ['--expected-title', 'Seen', '--expected-description', ''];
    const edit = (...flags: string[]): Run => write('task', 'edit', '--id', id, ...flags);
    ok(edit('--title', 'Changed', ...seen));
    expect(edit('--title', 'Late', ...seen).envelope.error).toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'title-changed', id, changed_by: who[1] },
    });
    // Who edits the title has not changed the description.
    const other = ['--agent', 'other-app', ...store];
    ok(confirmed(['task', 'edit', '--id', id, '--description', 'Longer', ...other], options));
    ok(edit('--title', 'Changed again', '--expected-title', 'Changed'));
    expect(edit('--description', 'Late', '--expected-description', '').envelope.error).toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'description-changed', changed_by: 'other-app' },
    });
    const raise = (priority: string, expected: string): Run =>
      write('task', 'set-priority', '--id', id, '--priority', priority, '--expected-priority', expected);
    ok(raise('-5', '2'));
    expect(raise('7', '2').envelope.error).toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'priority-changed', expected_priority: 2, priority: -5, changed_by: who[1] },
    });
    expect(ok(read('task', 'get', '--id', id, ...store))).toMatchObject({
      title: 'Changed again',
      description: 'Longer',
      priority: -5,
    });
  });

  it('replays a known request id without a token, and rejects a different payload', () => {
    const argv = ['task', 'create', '--title', 'Once', ...who, '--request-id', 'once'];
    const first = ok(confirmed(argv, options));
    expect(ok(read(...argv))).toEqual({ ...first, replayed: true });
    const other = read(...argv.with(3, 'Twice'));
    expect([other.code, other.envelope.error?.code, other.envelope.error?.details.reason]).toEqual([
      6,
      'E_CONFLICT',
      'other_payload',
    ]);
  });

  it('marks untrusted text, returns pages with cursors and selects fields', () => {
    for (const title of ['p1', 'p2', 'p3']) task(title);
    const seen: string[] = [];
    let cursor: string[] = [];
    for (;;) {
      const page = ok(
        read(
          'task',
          'list',
          '--project-id',
          'app',
          '--priority',
          '2',
          '--status',
          'pending',
          '--limit',
          '2',
          '--fields',
          'title',
          ...cursor,
          ...store,
        ),
      );
      expect(page._untrusted).toContain('items[].title');
      seen.push(...page.items.map(({ title }: { title: string }) => title));
      if (!page.has_more) break;
      cursor = ['--cursor', page.next_cursor];
    }
    expect(seen).toEqual(['p1', 'p2', 'p3']);
    expect(
      ok(read('task', 'list', '--ready', ...store)).items.map(({ title }: { title: string }) => title),
    ).toContain('p1');
    expect(ok(read('task', 'next', '--project-id', 'app', ...store)).task.title).toBe('p1');
  });

  it('claims, renews and completes a task, with dependencies', () => {
    const [one, two] = [task('one'), task('two')];
    expect(ok(write('task', 'begin', '--id', one, '--lease', '5m')).task.claim.agent).toBe('claude-app');
    const begin = ['task', 'begin', '--id', one, '--agent', 'other', ...store];
    expect(confirmed(begin, options).envelope.error).toMatchObject({
      code: 'E_CONFLICT',
      details: { owner: 'claude-app' },
    });
    ok(write('task', 'heartbeat', '--id', one, '--lease', '10m'));
    expect(write('task', 'heartbeat', '--id', one, '--lease', '25h').envelope.error?.code).toBe(
      'E_VALIDATION',
    );
    ok(write('task', 'add-dep', '--id', two, '--depends-on', one, '--kind', 'blocks'));
    expect(ok(read('task', 'get', two, ...store))).toMatchObject({ status: 'blocked', depends_on: [one] });
    ok(write('task', 'remove-dep', '--id', two, '--depends-on', one));
    ok(
      write(
        'task',
        'complete',
        '--id',
        one,
        '--outcome',
        'blocked',
        '--summary',
        'no key',
        '--label',
        'infra',
        '--blocked-reason',
        'needs a key',
      ),
    );
    ok(write('task', 'delete', '--id', two));
    expect(read('task', 'get', two, ...store).envelope.error?.code).toBe('E_NOT_FOUND');
  });

  it('masks a secret before it is stored, and lists it in the answer; a placeholder is stored as it is', () => {
    const masked = ok(write('memory', 'set', '--key', 'db', '--value', 'password: hunter2-hunter2'));
    expect(masked.redacted).toEqual([{ field: 'value', kind: 'password' }]);
    expect(ok(read('memory', 'get', '--key', 'db', ...store)).value).toBe('password: [REDACTED]');
    const text = 'Authorization: Bearer <token> header is required';
    expect(ok(write('memory', 'set', '--key', 'auth', '--value', text))).not.toHaveProperty('redacted');
    expect(ok(read('memory', 'get', '--key', 'auth', ...store)).value).toBe(text);
  });

  it('stores, finds, supersedes and deletes memories; only a person writes a directive', () => {
    const place = ['--key', 'style', '--scope', 'project', '--scope-id', 'app'];
    const set = ['memory', 'set', ...place];
    ok(
      write(...set, '--value', 'tabs', '--type', 'string', '--kind', 'lesson', '--pin', '--expires-in', '7d'),
    );
    ok(write(...set, '--value', 'two spaces'));
    expect(ok(read('memory', 'get', ...place, ...store))).toMatchObject({
      value: 'two spaces',
      kind: 'lesson',
      pinned: true,
      source_agent: 'claude-app',
    });
    expect(
      ok(read('memory', 'history', ...place, ...store)).items.map(({ value }: { value: string }) => value),
    ).toEqual(['two spaces', 'tabs']);
    expect(
      ok(read('memory', 'list', '--scope', 'project', '--scope-id', 'app', '--limit', '1', ...store)).items,
    ).toHaveLength(1);
    expect(read('memory', 'list', '--cursor', 'x', ...store).envelope.error?.code).toBe('E_VALIDATION');
    expect(
      ok(
        read(
          'memory',
          'search',
          '--query',
          'spaces',
          '--scope',
          'project',
          '--scope-id',
          'app',
          '--limit',
          '5',
          ...store,
        ),
      ).items,
    ).toHaveLength(1);
    expect(read('memory', 'search', '--query', 'x', '--cursor', 'x', ...store).envelope.error?.code).toBe(
      'E_VALIDATION',
    );
    ok(write('memory', 'delete', ...place));
    const directive = [
      'memory',
      'set',
      '--key',
      'rule',
      '--value',
      'ask before you push',
      '--kind',
      'directive',
      ...store,
    ];
    const refused = confirmed([...directive, '--agent', 'claude-app'], options);
    expect([refused.code, refused.envelope.error?.code]).toEqual([9, 'E_HUMAN_REQUIRED']);
    expect(refused.envelope.error?.details).toMatchObject({
      action: 'write_directive',
      resume: 'deed memory get --key rule',
    });
    expect(
      deed([...directive, '--dry-run'], { ...options, env: { CLAUDECODE: '1' } }).envelope.error?.code,
    ).toBe('E_HUMAN_REQUIRED');
    ok(confirmed(directive, options));
    expect(ok(read('memory', 'get', '--key', 'rule', ...store)).source_agent).toMatch(/^user:/u);
    expect(ok(write('memory', 'gc', '--limit', '10'))).toMatchObject({ deleted: 0, limit: 10 });
  });

  it('records a push completely or not at all, and lists events and artifacts', () => {
    const id = task('pushed');
    writeFileSync(join(home.path, 'made.bin'), Buffer.alloc(300_000, 7));
    const parts = [
      '--task-id',
      id,
      '--event',
      '{"kind":"progress","message":"half","metadata":{"n":1}}',
      '--memories',
      '[{"key":"a","value":1},{"key":"b","value":{"c":2}}]',
      '--artifacts',
      '[{"file_path":"made.bin"},{"file_path":"not-there.txt"}]',
      '--task-status',
      '{"status":"completed","summary":"done"}',
    ];
    const pushed = ok(write('push', ...parts));
    expect(Object.keys(pushed)).toEqual([
      'event_id',
      'kind',
      'memories',
      'artifacts',
      'task_status',
      '_untrusted',
    ]);
    const files = ok(read('artifacts', 'list', '--task-id', id, '--limit', '10', ...store)).items;
    expect(files.map(({ size_bytes }: { size_bytes: number | null }) => size_bytes)).toEqual([null, 300_000]);
    // Computed with another implementation of BLAKE3.
    expect(files[1].blake3).toBe('8f4bbedd6d5764d0aed50ecef23a7ab80b5ea176bdda5c1e5837a554b5b54cfe');
    const bad = write(
      'push',
      '--task-id',
      id,
      '--event',
      '{"kind":"progress","message":"lost"}',
      '--task-status',
      '{"status":"pending","blocked_reason":"x"}',
    );
    expect(bad.envelope.error?.code).toBe('E_VALIDATION');
    const events = [
      'events',
      'list',
      '--task-id',
      id,
      '--kind',
      'progress',
      '--since-id',
      '0',
      '--asc',
      '--include-archived',
      '--limit',
      '5',
      '--all',
    ];
    const { items } = ok(read(...events, '--agent', 'claude-app', ...store));
    expect(
      items.map(({ message, metadata }: { message: string; metadata: unknown }) => [message, metadata]),
    ).toEqual([['half', { n: 1 }]]);
    const search = (text: string): string[] =>
      ok(read('events', 'list', '--all', '--task-id', id, '--search', text, ...store)).items.map(
        ({ message }: { message: string }) => message,
      );
    expect([search('HAL'), search('h%lf'), search('whole')]).toEqual([['half'], [], []]);
    expect(read('events', 'list', '--cursor', 'x', ...who).envelope.error?.code).toBe('E_VALIDATION');
  });

  it('resumes, and shows the brief and the status', () => {
    const id = task('resumed');
    const flags = ['--project-dir', 'app', '--limit', '10', '--focus', id, '--budget', '800'];
    expect(ok(read('brief', ...flags, ...who)).brief.task.id).toBe(id);
    expect(ok(write('resume', ...flags))).toMatchObject({ focus_task_id: id, focus_rule: 'asked' });
    expect(ok(read('status', '--check', ...who))).toMatchObject({
      db: { path: db, source: 'flag', ok: true, problems: [] },
    });
  });

  it('copies, checks, exports and imports the store', () => {
    const at = (name: string): string => join(home.path, name);
    ok(confirmed(['store', 'backup', '--to', 'backup.db', ...store], options));
    expect(ok(read('store', 'check', '--db-path', at('backup.db'))).sound).toBe(true);
    ok(confirmed(['store', 'export', '--to', 'one.ndjson', ...store], options));
    ok(confirmed(['store', 'import', '--from', 'one.ndjson', '--db-path', at('imported.db')], options));
    ok(confirmed(['store', 'export', '--to', 'two.ndjson', '--db-path', at('imported.db')], options));
    const text = readFileSync(at('two.ndjson'), 'utf8');
    expect(text).toBe(readFileSync(at('one.ndjson'), 'utf8'));
    for (const length of [text.length >> 1, text.lastIndexOf('{')]) {
      writeFileSync(at('cut.ndjson'), text.slice(0, length));
      for (const target of ['cut.db', 'imported.db'])
        expect(
          read('store', 'import', '--from', at('cut.ndjson'), '--db-path', at(target), '--dry-run'),
        ).toMatchObject({ envelope: { error: { code: 'E_VALIDATION' } } });
    }
    expect(ok(confirmed(['store', 'upgrade', '--db-path', at('new.db')], options))).toMatchObject({
      migrated: true,
      schema_version: STORE_SCHEMA_VERSION,
    });
    writeFileSync(at('bad.db'), 'this is not a database'.repeat(30));
    expect(read('store', 'check', '--db-path', at('bad.db'))).toMatchObject({
      code: 1,
      envelope: { error: { code: 'E_DAMAGED' } },
    });
  });

  it('installs and removes hooks without changing other files', () => {
    const settings = join(home.path, '.claude/settings.json');
    ok(confirmed(['hook', 'install', '--claude', '--opencode', '--project'], options));
    expect(JSON.stringify(JSON.parse(readFileSync(settings, 'utf8')))).toContain('hook session-start');
    expect(ok(read('status', ...store)).hooks).toEqual({ claude: true, opencode: true });
    ok(confirmed(['hook', 'uninstall', '--claude', '--opencode', '--project'], options));
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({});
    expect(existsSync(join(home.path, '.opencode/plugin/vybe.js'))).toBe(false);
  });

  it('runs a program for each task of the queue, and reports the results', () => {
    const program = join(home.path, 'agent.sh');
    const queue = join(home.path, 'loop.db');
    const inQueue = ['--agent', 'looper', '--db-path', queue];
    const ids = ['first', 'second'].map(
      (title) =>
        vybe(
          ['task', 'create', '--title', title, '--project-id', 'loop', '--request-id', title, ...inQueue],
          options,
        ).answer.data.task.id as string,
    );
    // It saves the prompt that it received and leaves its tasks incomplete.
    writeFileSync(program, `#!/bin/sh\nfor last; do :; done\ncat "\${last#@}" >> seen.txt\n`, {
      mode: 0o755,
    });
    const flags = [
      '--project-dir',
      'loop',
      '--max-tasks',
      '2',
      '--max-fails',
      '2',
      '--max-attempts',
      '1',
      '--backoff',
      '0s',
      '--task-timeout',
      '20s',
      '--cooldown',
      '0s',
      '--command',
      `sh '${program}'`,
      '--post-hook',
      `sh -c 'printf %s "$VYBE_LOOP_RESULT" > result.json; cat > piped.json'`,
      '--spawn-disable-hooks',
    ];
    const result = ok(confirmed(['loop', ...flags, ...inQueue], options));
    expect(result).toMatchObject({
      completed: 0,
      failed: 2,
      total: 2,
      results: [
        { task_id: ids[0], status: 'blocked' },
        { task_id: ids[1], status: 'blocked' },
      ],
    });
    expect(readFileSync(join(home.path, 'seen.txt'), 'utf8')).toContain('first');
    for (const name of ['result.json', 'piped.json'])
      expect(JSON.parse(readFileSync(join(home.path, name), 'utf8'))).toMatchObject({ total: 2 });
    expect(
      ok(read('loop', 'stats', '--last', '3', '--project-id', 'loop', '--db-path', queue)),
    ).toMatchObject({ runs: 1, avg_failed: 2 });
    expect(ok(read('task', 'get', ids[0] ?? '', '--db-path', queue))).toMatchObject({
      status: 'blocked',
      blocked_reason: 'failure:It exited with code 0.',
    });
  });
});
