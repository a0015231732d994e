import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { confirmed, createHome, deed, type Envelope } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { vybe } from '../fixtures/run-vybe.ts';
import { createVybeStore } from '../fixtures/vybe-store.ts';

let home: ReturnType<typeof createHome>;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.dispose());

const at = (name: string): string => join(home.path, name);
const run = (...argv: string[]): Envelope => confirmed(argv, { home: home.path, cwd: home.path }).envelope;
const read = (...argv: string[]): Envelope['data'] =>
  deed(argv, { home: home.path, cwd: home.path }).envelope.data;
const NOTHING = { tasks: 0, dependencies: 0, events: 0, memories: 0, artifacts: 0 };

describe('an import of a store of the Go program vybe', () => {
  it.each(LONG ? [8, 22, 28] : [8, 28])(
    'with schema %i adds tasks, log and memories, and a second one adds nothing',
    (version) => {
      createVybeStore(at('vybe.db'), version);
      const before = readFileSync(at('vybe.db'));
      const dryRun = deed(['store', 'import', '--from', 'vybe', at('vybe.db'), '--dry-run'], {
        home: home.path,
      });
      expect(dryRun.envelope.data.preview.changes[0].after).toMatchObject({
        format: 'vybe',
        imported: { tasks: 3 },
      });
      const { data } = run('store', 'import', '--from', 'vybe', at('vybe.db'));
      expect(data.imported).toEqual({ tasks: 3, dependencies: 1, events: 3, memories: 1, artifacts: 1 });
      expect(data.skipped).toEqual([
        { resource: 'memory', id: 'global/old', reason: 'it has expired' },
        { resource: 'memory', id: 'task/task_gone/orphan', reason: 'its task does not exist' },
      ]);
      expect(data.adjusted).toContainEqual({ resource: 'event', id: '3', reason: 'a secret was masked' });
      expect(data.adjusted).toContainEqual({
        resource: 'task',
        id: 'task_3_cc',
        reason: 'the status "paused" became "pending"',
      });
      expect(readFileSync(at('vybe.db')).equals(before)).toBe(true);
      expect(read('task', 'get', 'task_1_aa')).toMatchObject({
        status: 'in_progress',
        priority: 5,
        project_id: '/app',
      });
      expect(read('task', 'get', 'task_2_bb')).toMatchObject({
        status: 'blocked',
        depends_on: ['task_1_aa'],
      });
      expect(read('memory', 'search', 'currency').items).toMatchObject([
        { value: 'EUR', kind: version >= 25 ? 'decision' : 'fact', source_agent: 'vybe' },
      ]);
      const again = run('store', 'import', '--from', 'vybe', at('vybe.db')).data;
      expect([again.rows, again.imported, again.changed]).toEqual([0, NOTHING, NOTHING]);
      expect(read('store', 'check').ok ?? true).toBeTruthy();
    },
  );

  it('keeps what was done here after the first import', () => {
    createVybeStore(at('vybe.db'), 22);
    run('store', 'import', '--from', 'vybe', at('vybe.db'));
    run('task', 'complete', '--id', 'task_1_aa', '--outcome', 'done', '--summary', 'all rows');
    const { data } = run('store', 'import', '--from', 'vybe', at('vybe.db'));
    expect(data.changed).toEqual(NOTHING);
    expect(read('task', 'get', 'task_1_aa').status).toBe('completed');
    expect(read('task', 'get', 'task_2_bb').status).toBe('pending');
  });

  it('rejects another database, and names the usual place', () => {
    writeFileSync(at('other.db'), 'no database');
    const { code, envelope } = deed(['store', 'import', '--from', 'vybe', at('other.db'), '--dry-run'], {
      home: home.path,
    });
    expect([code, envelope.error?.code, envelope.error?.details.hint]).toEqual([
      2,
      'E_VALIDATION',
      expect.stringContaining('~/.config/vybe/vybe.db'),
    ]);
  });

  it('is suggested by doctor and by the first call of vybe while the store is empty', () => {
    mkdirSync(at('.config/vybe'), { recursive: true });
    createVybeStore(at('.config/vybe/vybe.db'), 22);
    const named = at('.config/vybe/vybe.db');
    const options = { home: home.path, env: { HOME: home.path } };
    const check = (): unknown =>
      (deed(['doctor'], options).envelope.data.checks as { check: string }[]).find(
        (one) => one.check === 'store',
      );
    expect(check()).toMatchObject({
      status: 'warn',
      message: expect.stringContaining(named),
      fix: `deed store import --from vybe ${named} --dry-run`,
    });
    const first = vybe(['task', 'list', '--agent', 'a'], options);
    expect(first.answer.data).toMatchObject({ count: 0 });
    expect(first.stderr).toContain(`deed store import --from vybe ${named}`);
    confirmed(['store', 'import', '--from', 'vybe', named], options);
    expect(check()).toMatchObject({ status: 'pass' });
    expect(vybe(['task', 'list', '--agent', 'a'], options).stderr).not.toContain('store import');
  });
});

describe('an import of beads', () => {
  const issue = (id: string, more: object): string =>
    JSON.stringify({
      id,
      title: `Title of ${id}`,
      status: 'open',
      priority: 2,
      created_at: '2026-03-01T08:00:00Z',
      ...more,
    });

  it('adds issues, comments, dependencies and memories, and applies later changes of them', () => {
    mkdirSync(at('app/.beads'), { recursive: true });
    const lines = [
      issue('bd-101', {
        priority: 0,
        description: 'Cache misses',
        acceptance_criteria: 'p95 under 20 ms',
        labels: ['perf'],
        updated_at: '2026-03-02T08:00:00.123456789+01:00',
        comments: [{ author: 'kim', text: 'seen on staging', created_at: '2026-03-02T09:00:00Z' }],
      }),
      issue('bd-102', {
        dependencies: [
          { issue_id: 'bd-102', depends_on_id: 'bd-101', type: 'blocks', created_at: '2026-03-01T08:00:00Z' },
          { issue_id: 'bd-102', depends_on_id: 'bd-103', type: 'parent-child' },
          { issue_id: 'bd-102', depends_on_id: 'bd-109', type: 'blocks' },
        ],
      }),
      issue('bd-103', { status: 'closed', closed_at: '2026-03-03T08:00:00Z', close_reason: 'done by hand' }),
      issue('bd-104', { status: 'tombstone' }),
      '{"_type":"memory","key":"staging","value":"runs on port 81"}',
    ];
    const write = (): void => writeFileSync(at('app/.beads/issues.jsonl'), `${lines.join('\n')}\n`);
    write();
    const { data } = run('store', 'import', '--from', 'beads', 'app', '--project-id', 'shop');
    expect(data.imported).toEqual({ tasks: 3, dependencies: 2, events: 2, memories: 1, artifacts: 0 });
    expect(data.skipped).toMatchObject([
      { id: 'bd-104', reason: 'it was deleted there' },
      { resource: 'dependency', reason: 'this store does not have one of the tasks' },
    ]);
    const first = read('task', 'get', 'bd-101.');
    expect(first).toMatchObject({ project_id: 'shop', priority: 20, updated_at: '2026-03-02T07:00:00.123Z' });
    expect(first.description).toContain('Acceptance criteria:\np95 under 20 ms');
    expect(read('task', 'get', 'bd-102.')).toMatchObject({ status: 'blocked', depends_on: [first.id] });
    expect(read('events', 'list', '--task-id', first.id, '--all').items).toMatchObject([
      { message: 'seen on staging' },
    ]);
    expect(read('memory', 'search', 'staging').items).toMatchObject([{ scope_id: 'shop' }]);
    expect(run('store', 'import', '--from', 'beads', 'app', '--project-id', 'shop').data.rows).toBe(0);
    lines[0] = issue('bd-101', { title: 'Renamed', updated_at: '2026-03-05T08:00:00Z' });
    write();
    expect(run('store', 'import', '--from', 'beads', 'app', '--project-id', 'shop').data.changed.tasks).toBe(
      1,
    );
    expect(read('task', 'get', 'bd-101.').title).toBe('Renamed');
    // Another project with the same numbers is another task.
    expect(run('store', 'import', '--from', 'beads', at('app/.beads/issues.jsonl')).data.imported.tasks).toBe(
      3,
    );
    expect(deed(['task', 'get', 'bd-101.'], { home: home.path }).envelope.error?.code).toBe('E_VALIDATION');
  });

  it('names the line of a merge conflict, and imports nothing', () => {
    writeFileSync(at('issues.jsonl'), `${issue('bd-101', {})}\n<<<<<<< HEAD\n`);
    const { envelope } = deed(['store', 'import', '--from', 'beads', at('issues.jsonl'), '--dry-run'], {
      home: home.path,
    });
    expect(envelope.error).toMatchObject({
      code: 'E_VALIDATION',
      message: expect.stringContaining('line 2'),
    });
  });
});

describe('an import of a pipe or a device', () => {
  it.each(['beads', 'deed'])('in the format of %s is rejected at once', (format) => {
    execFileSync('mkfifo', [at('pipe.jsonl')]);
    for (const path of ['pipe.jsonl', '/dev/zero']) {
      const { envelope } = deed(['store', 'import', '--from', format, path, '--dry-run'], {
        home: home.path,
        cwd: home.path,
      });
      expect(envelope.error).toMatchObject({
        code: 'E_VALIDATION',
        message: expect.stringContaining('is not a regular file'),
      });
    }
  });
});

describe('an import of Backlog.md', () => {
  it('adds the tasks and decisions of the folder', () => {
    mkdirSync(at('app/backlog/tasks'), { recursive: true });
    mkdirSync(at('app/backlog/completed'));
    mkdirSync(at('app/backlog/decisions'));
    const file = (name: string, front: string, body: string): void =>
      writeFileSync(at(`app/backlog/${name}`), `---\n${front}\n---\n\n${body}\n`);
    file(
      'tasks/task-1 - Add login.md',
      "id: task-1\ntitle: Add login\nstatus: In Progress\nassignee:\n  - @kim\ncreated_date: '2026-04-01 09:30'\nlabels: [auth]\ndependencies: []\npriority: high",
      '## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nPeople sign in.\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 works offline\n<!-- AC:END -->',
    );
    file(
      'tasks/task-2 - Log out.md',
      'id: TASK-2\ntitle: Log out\nstatus: Waiting\ndependencies: [task-1]\ncreated_date: 2026-04-02',
      'x',
    );
    file(
      'completed/task-3 - Setup.md',
      'id: task-3\ntitle: Setup\nstatus: Done\ncreated_date: 2026-04-01',
      'x',
    );
    file(
      'decisions/decision-1 - Cookies.md',
      'id: decision-1\ntitle: Cookies\ndate: 2026-04-01\nstatus: accepted',
      '## Decision\n\nUse cookies.',
    );
    writeFileSync(at('app/backlog/tasks/notes.md'), 'no frontmatter');
    writeFileSync(at('app/outside.md'), '---\nid: task-9\ntitle: Outside\n---\n');
    symlinkSync('../../outside.md', at('app/backlog/tasks/task-9 - Outside.md'));
    mkdirSync(at('app/backlog/tasks/folder.md'));
    execFileSync('mkfifo', [at('app/backlog/tasks/pipe.md')]);
    const { data } = run('store', 'import', '--from', 'backlog', 'app');
    expect(data.imported).toEqual({ tasks: 3, dependencies: 1, events: 0, memories: 1, artifacts: 0 });
    expect(data.skipped).toMatchObject([
      { id: 'tasks/notes.md' },
      { id: 'tasks/folder.md', reason: 'it is not a regular file' },
      { id: 'tasks/pipe.md', reason: 'it is not a regular file' },
      { id: 'tasks/task-9 - Outside.md', reason: 'it is not a regular file' },
    ]);
    expect(data.adjusted).toMatchObject([{ reason: 'the status "Waiting" became "pending"' }]);
    const task = read('task', 'get', 'task-1.');
    expect(task).toMatchObject({
      status: 'in_progress',
      priority: 10,
      created_at: '2026-04-01T09:30:00.000Z',
    });
    expect(task.description).toContain('People sign in.');
    expect(task.description).not.toContain('<!--');
    expect(read('task', 'get', 'task-2.').depends_on).toEqual([task.id]);
    expect(read('task', 'get', 'task-3.').status).toBe('completed');
    expect(read('memory', 'search', 'cookies').items).toMatchObject([
      { key: 'decision-1', kind: 'decision' },
    ]);
    expect(run('store', 'import', '--from', 'backlog', 'app').data.rows).toBe(0);
  });
});

describe('an export of another machine', () => {
  it('is shown as text in the dry run, with what is imported, changed and in conflict', () => {
    const other = createHome();
    try {
      const there = (...argv: string[]): Envelope => confirmed(argv, { home: other.path }).envelope;
      run('memory', 'set', '--key', 'k', '--value', 'here', '--agent', 'a');
      there('memory', 'set', '--key', 'k', '--value', 'there', '--agent', 'b');
      there('task', 'create', '--title', 'There', '--agent', 'b');
      there('store', 'export', '--to', at('one.ndjson'));
      const argv = ['store', 'import', '--from', at('one.ndjson'), '--dry-run', '--format', 'text'];
      const { stdout } = deed(argv, { home: home.path });
      expect(stdout).toContain('    imported: tasks 1, dependencies 0, events 2, memories 1, artifacts 0\n');
      expect(stdout).toContain('    changed: tasks 0, dependencies 0, events 0, memories 1, artifacts 0\n');
      expect(stdout).toMatch(/\n {4}conflicts:\n {6}resource memory, id global\/k, reason .+\n/u);
    } finally {
      other.dispose();
    }
  });

  it('is merged, also one with only what changed since an event', () => {
    const other = createHome();
    try {
      const there = (...argv: string[]): Envelope => confirmed(argv, { home: other.path }).envelope;
      there('task', 'create', '--title', 'There', '--agent', 'b');
      run('task', 'create', '--title', 'Here', '--agent', 'a');
      there('store', 'export', '--to', at('one.ndjson'));
      expect(run('store', 'import', '--from', at('one.ndjson')).data).toMatchObject({
        rows: 2,
        imported: { tasks: 1, events: 1 },
        conflicts_count: 0,
      });
      there('memory', 'set', '--key', 'k', '--value', 'v', '--agent', 'b');
      there('store', 'export', '--to', at('two.ndjson'), '--since', '1');
      expect(run('store', 'import', at('two.ndjson')).data).toMatchObject({
        imported: { memories: 1, events: 1, tasks: 0 },
      });
      const odd = deed(['store', 'export', '--to', at('x'), '--since', 'yesterday', '--dry-run'], {
        home: home.path,
      });
      expect(odd.envelope.error?.code).toBe('E_VALIDATION');
      expect(
        deed(['store', 'import', '--from', 'odd', at('one.ndjson'), '--dry-run'], { home: home.path })
          .envelope.error,
      ).toMatchObject({
        code: 'E_VALIDATION',
        message: 'Unknown format: "odd".',
      });
    } finally {
      other.dispose();
    }
  });
});
