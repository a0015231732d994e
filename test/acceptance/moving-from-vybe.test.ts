import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createHome } from '../fixtures/run-deed.ts';
import { vybe, type VybeRun } from '../fixtures/run-vybe.ts';

/*
 * What scripts and hooks written for the Go program vybe rely on, and where deed differs on purpose. docs/moving-from-vybe.md names these tests.
 */

type Data = VybeRun['answer']['data'];

const PROJECT = '/src/shop';
let home: ReturnType<typeof createHome>;
let requests = 0;
beforeEach(() => {
  home = createHome();
  return () => home.dispose();
});

const run = (...argv: string[]): VybeRun =>
  vybe(argv, { home: home.path, cwd: home.path, env: { VYBE_AGENT: 'ada' } });
const read = (...argv: string[]): Data => {
  const { answer } = run(...argv);
  expect(answer.error).toBeUndefined();
  return answer.data;
};
const write = (...argv: string[]): Data => read(...argv, '--request-id', `r${(requests += 1)}`);
const fail = (...argv: string[]): string | undefined =>
  run(...argv, '--request-id', `r${(requests += 1)}`).answer.error_code;
const hook = (event: string, input: Record<string, unknown>): string =>
  vybe(['hook', event], {
    home: home.path,
    env: { VYBE_AGENT: 'ada' },
    input: JSON.stringify({ session_id: 's1', cwd: PROJECT, ...input }),
  }).stdout;
const startSession = (session: string): string => {
  const output = JSON.parse(hook('session-start', { session_id: session, source: 'startup' })) as {
    hookSpecificOutput: { additionalContext: string };
  };
  return output.hookSpecificOutput.additionalContext;
};
const create = (title: string, ...flags: string[]): string =>
  write('task', 'create', '--title', title, '--project-id', PROJECT, ...flags).task.id as string;
const push = (document: unknown): Data => write('push', '--json', JSON.stringify(document));
const focus = (): string | undefined => write('resume', '--project-dir', PROJECT).brief.task?.id;
const kinds = (task: string): string[] =>
  read('events', 'list', '--all', '--task-id', task, '--asc').events.map(
    ({ kind }: { kind: string }) => kind,
  );

describe('the work of an agent over two sessions', () => {
  it('moves through the queue, and keeps memories, events and artifacts', () => {
    expect(read('upgrade').migrated).toBe(true);
    const [auth, tests] = [create('Implement auth'), create('Write tests')];
    write('memory', 'set', '-k', 'node', '-v', '24');
    write('memory', 'set', '-k', 'framework', '-v', 'hono', '-s', 'project', '--scope-id', PROJECT);
    expect(startSession('s1')).toContain('Implement auth');
    hook('prompt', { prompt: 'Implement the login with passkeys' });
    write('task', 'begin', '--id', auth);
    hook('tool-failure', { tool_name: 'Bash', tool_input: { command: 'npm test' }, error: 'Exit code 1' });
    for (const message of ['Added the middleware', 'Connected the routes'])
      push({ task_id: auth, event: { kind: 'progress', message } });
    write('memory', 'set', '-k', 'strategy', '-v', 'passkey', '-s', 'task', '--scope-id', auth);
    writeFileSync(join(home.path, 'auth.ts'), 'export {};\n');
    push({ task_id: auth, artifacts: [{ file_path: 'auth.ts', content_type: 'text/typescript' }] });
    expect(write('task', 'set-status', '--id', auth, '--status', 'completed').task.status).toBe('completed');
    // The host reports the same task again; nothing is completed twice.
    hook('task-completed', { task_id: auth });
    expect(hook('checkpoint', { trigger: 'auto' })).toBe('');
    expect(hook('session-end', { reason: 'exit' })).toBe('');

    expect(startSession('s2')).toContain('Write tests');
    expect(focus()).toBe(tests);
    expect(read('memory', 'get', '-k', 'node').value).toBe('24');
    for (const [scope, id, key] of [
      ['project', PROJECT, 'framework'],
      ['task', auth, 'strategy'],
    ] as const)
      expect(read('memory', 'list', '-s', scope, '--scope-id', id).memories).toMatchObject([{ key }]);
    expect(read('artifacts', 'list', '--task-id', auth).artifacts).toMatchObject([
      { task_id: auth, file_path: 'auth.ts', content_type: 'text/typescript' },
    ]);
    expect(kinds(auth).filter((kind) => kind === 'task_closed' || kind === 'task_status')).toHaveLength(2);
    for (const kind of ['user_prompt', 'tool_failure', 'progress']) expect(kinds(auth)).toContain(kind);

    write('task', 'begin', '--id', tests);
    write('task', 'complete', '--id', tests, '--outcome', 'done', '--summary', 'All pass');
    expect(write('resume', '--project-dir', PROJECT).brief.task).toBeNull();
    expect(read('status', '--check')).toMatchObject({ query_ok: true, db: { ok: true } });
  });

  it('continues after a session without an end, as often as it happens', () => {
    const [first, second, parked] = [create('Task A'), create('Task B'), create('Task C')];
    write('task', 'begin', '--id', first);
    write('task', 'set-status', '--id', parked, '--status', 'blocked');
    for (let crash = 1; crash <= 3; crash += 1) {
      expect(startSession(`s${crash}`)).toContain('Task A');
      push({ task_id: first, event: { kind: 'progress', message: `step ${crash}` } });
    }
    const resumed = write('resume', '--project-dir', PROJECT);
    expect(resumed.brief.task).toMatchObject({ id: first, status: 'in_progress' });
    expect(read('resume', '--peek', '--project-dir', PROJECT).brief.task.id).toBe(first);
    for (const step of ['step 1', 'step 2', 'step 3']) expect(resumed.prompt).toContain(step);
    write('task', 'set-status', '--id', first, '--status', 'completed');
    expect(focus()).toBe(second);
    write('task', 'set-status', '--id', second, '--status', 'completed');
    // A task that was blocked by hand waits for a person.
    expect(write('resume', '--project-dir', PROJECT).brief.task).toBeNull();
    expect(read('status').counts.tasks).toEqual({ pending: 0, in_progress: 0, completed: 2, blocked: 1 });
  });
});

describe('every write', () => {
  it('is replayed under its request id: the same answer, no new event, also after its task was deleted', () => {
    const [task, blocker] = [create('Once'), create('Before')];
    write('memory', 'set', '-k', 'old', '-v', 'x');
    const artifacts = [{ file_path: 'auth.ts' }];
    const memories = [{ key: 'k', value: 'v' }];
    const all = { task_id: task, event: { kind: 'progress', message: 'x' }, memories, artifacts };
    const calls = [
      ['task', 'create', '--title', 'New'],
      ['task', 'add-dep', '--id', task, '--depends-on', blocker],
      ['task', 'remove-dep', '--id', task, '--depends-on', blocker],
      ['task', 'begin', '--id', task],
      ['task', 'set-priority', '--id', task, '--priority', '5'],
      ['push', '--json', JSON.stringify({ ...all, task_status: { status: 'blocked', blocked_reason: 'y' } })],
      ['task', 'set-status', '--id', task, '--status', 'pending'],
      ['memory', 'set', '-k', 'new', '-v', 'x'],
      ['memory', 'delete', '-k', 'old'],
      ['memory', 'gc'],
      ['resume', '--project-dir', PROJECT],
      ['task', 'complete', '--id', task, '--outcome', 'done', '--summary', 'z'],
      ['task', 'delete', '--id', task],
    ];
    const answers = calls.map((argv, index) => read(...argv, '--request-id', `once-${index}`));
    const events = (): number => read('status').counts.events as number;
    const before = events();
    for (const [index, argv] of calls.entries())
      expect(read(...argv, '--request-id', `once-${index}`)).toEqual({ ...answers[index], replayed: true });
    expect(events()).toBe(before);
    expect(fail('task', 'get', '--id', task)).toBe('E_NOT_FOUND');
  });

  it('needs an agent and a request id, from a flag or from the environment; the flag wins', () => {
    const create = (env: Record<string, string>, ...flags: string[]): VybeRun['answer'] =>
      vybe(['task', 'create', '--title', 'x', ...flags], { home: home.path, env }).answer;
    expect(create({}).error_code).toBe('E_USAGE');
    expect(create({ VYBE_AGENT: 'grace' }).error_code).toBe('E_USAGE');
    const first = create({ VYBE_AGENT: 'grace', VYBE_REQUEST_ID: 'q1' }).data;
    expect(
      create({ VYBE_AGENT: 'linus', VYBE_REQUEST_ID: 'q2' }, '-a', 'grace', '--request-id', 'q1').data,
    ).toEqual({ ...first, replayed: true });
  });
});

describe('a task', () => {
  it('can take every status, and loses its reason when it is no longer blocked', () => {
    const id = create('Parser', '--priority', '10', '--desc', 'All of it');
    expect(read('task', 'get', '--id', id)).toMatchObject({
      title: 'Parser',
      description: 'All of it',
      status: 'pending',
      priority: 10,
      project_id: PROJECT,
    });
    const set = (...flags: string[]): Data =>
      write('task', 'set-status', '--id', id, '--status', ...flags).task;
    expect(set('blocked', '--blocked-reason', 'no key')).toMatchObject({ blocked_reason: 'no key' });
    expect(set('blocked').blocked_reason).toBeUndefined();
    set('blocked', '--blocked-reason', 'no key');
    for (const status of ['pending', 'in_progress', 'completed', 'pending']) {
      const task = set(status);
      expect([task.status, task.blocked_reason]).toEqual([status, undefined]);
    }
    const { version } = read('task', 'get', '--id', id);
    expect(set('completed').version).toBeGreaterThan(version);
    expect(fail('task', 'set-status', '--id', id, '--status', 'done')).toBe('E_VALIDATION');
    expect(fail('task', 'set-status', '--id', id)).toBe('E_VALIDATION');
    expect(fail('task', 'complete', '--id', id, '--outcome', 'pending', '--summary', 'x')).toBe(
      'E_VALIDATION',
    );
  });

  it('is listed by status, project and priority', () => {
    const high = create('High', '--priority', '5');
    const low = create('Low');
    write('task', 'create', '--title', 'Elsewhere', '--project-id', '/other', '--priority', '5');
    write('task', 'set-status', '--id', low, '--status', 'completed');
    const ids = (...flags: string[]): string[] =>
      read('task', 'list', ...flags).tasks.map(({ id }: { id: string }) => id);
    expect(ids('--project-id', PROJECT)).toEqual([high, low]);
    expect(ids('--project-id', PROJECT, '--status', 'completed')).toEqual([low]);
    expect(ids('--priority', '5')).toHaveLength(2);
    expect(ids('--status', 'in_progress')).toEqual([]);
  });

  it('that failed does not stay in focus; one that waits for another task does', () => {
    const [first, second, third] = [create('First'), create('Second'), create('Third')];
    write('task', 'begin', '--id', first);
    write('task', 'add-dep', '--id', first, '--depends-on', third);
    write('resume', '--focus', first, '--project-dir', PROJECT);
    expect(focus()).toBe(first);
    write('task', 'remove-dep', '--id', first, '--depends-on', third);
    write('task', 'set-status', '--id', first, '--status', 'blocked', '--blocked-reason', 'failure:build');
    expect(focus()).toBe(second);
    expect(write('resume', '--focus', third).brief.task.id).toBe(third);
  });
});

describe('a memory', () => {
  it('has the type of its value, one value per scope and key, and is gone when it is deleted or has expired', () => {
    const values = { word: 'x', number: '1.5', flag: 'true', object: '{"a":1}', list: '[1]' };
    const memories = Object.entries(values).map(([key, value]) => ({ key, value }));
    push({ memories });
    const types = Object.keys(values).map((key) => read('memory', 'get', '-k', key).value_type);
    expect(types).toEqual(['string', 'number', 'boolean', 'json', 'array']);
    write('memory', 'set', '-k', 'word', '-v', 'y');
    expect(
      read('memory', 'list').memories.filter(({ key }: { key: string }) => key === 'word'),
    ).toMatchObject([{ value: 'y' }]);
    write('memory', 'delete', '-k', 'word');
    expect(fail('memory', 'get', '-k', 'word')).toBe('E_NOT_FOUND');
    expect(write('memory', 'set', '-k', 'short', '-v', 'x', '--expires-in', '24h').expires_at).toMatch(/Z$/u);
    expect(write('memory', 'gc', '--limit', '10')).toMatchObject({ deleted: 0, limit: 10 });
    for (const flags of [
      ['-s', 'team'],
      ['-s', 'task'],
      ['--expires-in', 'soon'],
      ['-t', 'date'],
      ['--kind', 'rumour'],
    ])
      expect(fail('memory', 'set', '-k', 'bad', '-v', 'x', ...flags)).toBe('E_VALIDATION');
  });
});

describe('the loop', () => {
  it('shows on a dry run which tasks it would work on, in the form of its result, and changes nothing', () => {
    const ids = [create('First', '--priority', '2'), create('Second')];
    const dryRun = read('loop', '--dry-run', '--max-tasks=1', '--cooldown=0s', '--project-dir', PROJECT);
    const result = { task_id: ids[0], task_title: 'First', status: 'dry_run', duration: 0 };
    expect(dryRun).toEqual({ completed: 1, failed: 0, total: 1, duration_sec: 0, results: [result] });
    expect(read('task', 'list', '--status', 'pending').count).toBe(2);
  });
});

describe('hooks', () => {
  it('are installed in the settings of a project, and removed without a trace', () => {
    mkdirSync(join(home.path, '.claude'));
    const settings = (): unknown =>
      JSON.parse(readFileSync(join(home.path, '.claude/settings.json'), 'utf8')) as unknown;
    const installed = read('hook', 'install', '--claude', '--project').installed;
    expect(installed).toMatchObject([{ host: 'claude', changed: true }]);
    expect(JSON.stringify(settings())).toContain('hook session-start');
    expect(read('hook', 'install', '--claude', '--project').installed).toMatchObject([{ changed: false }]);
    read('hook', 'uninstall', '--claude', '--project');
    expect(settings()).toEqual({});
  });
});

describe('deed differs from the Go program', () => {
  it('in the short form of lists: they need a flag, and a bare name lists the commands', () => {
    const task = create('Short');
    const event = { kind: 'progress', message: 'x' };
    push({ task_id: task, event, artifacts: [{ file_path: 'a.ts' }] });
    expect(read('events', '--kind', 'progress', '--limit', '5').events).toMatchObject([event]);
    expect(read('artifacts', '--task-id', task)).toMatchObject({ task_id: task, count: 1 });
    expect(read('events')).toMatchObject({ namespace: 'events', subcommands: [{ name: 'list' }] });
    expect(read('schema')).toMatchObject({ namespace: 'schema', subcommands: [{ name: 'commands' }] });
  });

  it('in names of agents and projects, which are literal', () => {
    expect(write('memory', 'set', '-k', 'k', '-v', 'v', '-s', 'agent', '--scope-id', 'ada').key).toBe('k');
    const prompt = (agent: string): string =>
      write('resume', '--agent', agent, '--project-dir', PROJECT).prompt as string;
    expect(prompt('ada')).toContain('- k: v');
    expect(prompt('Ada')).not.toContain('- k: v');
    write('task', 'create', '--title', 'Relative', '--project-id', 'shop');
    expect(read('task', 'list', '--project-id', join(home.path, 'shop')).count).toBe(0);
  });

  it('in pinned memories, which expire at their time', () => {
    write('memory', 'set', '-k', 'k', '-v', 'v', '--pin', '--expires-in', '1s');
    const later = { VYBE_AGENT: 'ada' };
    const get = (): string | undefined =>
      vybe(['memory', 'get', '-k', 'k'], { home: home.path, env: later }).answer.error_code;
    return expect.poll(get, { timeout: 10_000, interval: 300 }).toBe('E_NOT_FOUND');
  });

  it('in pins, which `memory set --pin` sets and removes', () => {
    write('memory', 'set', '-k', 'k', '-v', 'v', '--pin');
    write('memory', 'set', '-k', 'k', '-v', 'w');
    expect(read('memory', 'get', '-k', 'k')).toMatchObject({ value: 'w', pinned: true });
    write('memory', 'set', '-k', 'k', '-v', 'w', '--pin=false');
    expect(read('memory', 'get', '-k', 'k').pinned).toBe(false);
  });

  it('in the state of an agent, which is separate for each project', () => {
    create('Here');
    focus();
    write('resume', '--project-dir', '/other');
    const states = read('status').agent_state as { project_id: string; cursor: number }[];
    expect(states.map(({ project_id }) => project_id).toSorted()).toEqual(['/other', PROJECT]);
    expect(states.every(({ cursor }) => Number.isInteger(cursor))).toBe(true);
  });

  it('in lists, which are whole and never null', () => {
    expect(read('task', 'list')).toEqual({ count: 0, tasks: [] });
    const id = create('Whole', '--desc', 'with its description');
    expect(read('task', 'list').tasks).toMatchObject([{ id, description: 'with its description' }]);
    expect(read('task', 'list', '--status', 'blocked')).toEqual({ count: 0, tasks: [] });
  });

  it('in words of a prompt, which trigger nothing', () => {
    create('Task');
    expect(hook('prompt', { prompt: 'brief me' })).toBe('');
    expect(read('events', 'list', '--all', '--kind', 'user_prompt').events).toMatchObject([
      { message: 'brief me' },
    ]);
  });

  it('in settings, which a file in the current folder cannot change', () => {
    writeFileSync(join(home.path, 'config.yaml'), `db_path: ${join(home.path, 'other.db')}\n`);
    expect(read('status').db).toMatchObject({ path: join(home.path, 'deed.db'), source: 'home' });
  });

  it('in deleted tasks, which may have artifacts, events and dependents', () => {
    const [task, dependent] = [create('Gone'), create('Waits')];
    write('task', 'add-dep', '--id', dependent, '--depends-on', task);
    push({ task_id: task, artifacts: [{ file_path: 'a.ts' }], event: { kind: 'progress', message: 'x' } });
    write('task', 'delete', '--id', task);
    expect(read('task', 'get', '--id', dependent).status).toBe('pending');
    expect(kinds(task)).toContain('progress');
  });
});
