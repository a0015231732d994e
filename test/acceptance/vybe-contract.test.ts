import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, executable } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { vybe, vybeAsync, vybeEnvironment, type VybeAnswer, type VybeRun } from '../fixtures/run-vybe.ts';

/** Runs the snippets of the contract verbatim, in a shell with `vybe` on its PATH. */
const home = createHome();
const cwd = join(home.path, 'workspace');
const run = (...argv: string[]): VybeRun => vybe(argv, { home: home.path, cwd });
let requests = 0;
const requestId = (): string => `test_req_${(requests += 1)}`;

function shell(
  script: string,
  variables: Record<string, string>,
): { answer: VybeAnswer; code: number | null; stderr: string } {
  const { status, stdout, stderr } = spawnSync('sh', ['-eu', '-c', script], {
    cwd,
    env: {
      ...vybeEnvironment({ home: home.path }),
      ...variables,
      PATH: `${join(home.path, 'bin')}:${process.env.PATH}`,
    },
    encoding: 'utf8',
  });
  return { answer: JSON.parse(stdout) as VybeAnswer, code: status, stderr };
}

beforeAll(() => {
  mkdirSync(cwd);
  mkdirSync(join(home.path, 'bin'));
  writeFileSync(join(cwd, 'made.txt'), 'made');
  const words = executable('vybe').map((word) => `'${word}'`);
  writeFileSync(join(home.path, 'bin/vybe'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
});
afterAll(() => home.dispose());

describe('the snippets of the contract', () => {
  const AGENT = 'claude-workspace';
  const WORKSPACE = cwd;
  let TASK_ID = '';

  it('create and claim a task', () => {
    const created = run(
      'task',
      'create',
      '--agent',
      AGENT,
      '--request-id',
      requestId(),
      '--title',
      'Build it',
      '--desc',
      'All of it',
      '--project-id',
      WORKSPACE,
    );
    TASK_ID = created.answer.data.task.id as string;
    expect(TASK_ID).toMatch(/^task_[0-9a-z]{13}$/u);
    const begun = run('task', 'begin', '--agent', AGENT, '--request-id', requestId(), '--id', TASK_ID);
    expect(Object.keys(begun.answer.data)).toEqual(['task', 'status_event_id', 'focus_event_id']);
  });

  it('session start', () => {
    const { answer, code } = shell(
      'vybe resume --agent "$AGENT" --request-id "$REQ" --project-dir "$WORKSPACE"',
      { AGENT, REQ: requestId(), WORKSPACE },
    );
    expect(code).toBe(0);
    expect(Object.keys(answer)).toEqual(['schema_version', 'success', 'data']);
    expect(answer.data).toMatchObject({
      agent_name: AGENT,
      focus_task_id: TASK_ID,
      focus_rule: 'in_progress',
      focus_project_id: WORKSPACE,
    });
    expect(answer.data.prompt).toContain('Build it');
    expect(answer.data.brief.task.id).toBe(TASK_ID);
  });

  it('progress log', () => {
    const { answer } = shell(
      `vybe push --agent "$AGENT" --request-id "$REQ" \\
  --json "{\\"task_id\\":\\"$TASK_ID\\",\\"event\\":{\\"kind\\":\\"progress\\",\\"message\\":\\"...\\"}}"`,
      { AGENT, REQ: requestId(), TASK_ID },
    );
    expect(answer.data).toEqual({ event_id: expect.any(Number), kind: 'progress' });
  });

  it('durable memory', () => {
    const { answer } = shell(
      `vybe memory set --agent "$AGENT" --request-id "$REQ" \\
  --key where --value "in the loft" --scope task --scope-id "$TASK_ID"`,
      { AGENT, REQ: requestId(), TASK_ID },
    );
    expect(answer.data).toEqual({
      event_id: expect.any(Number),
      key: 'where',
      scope: 'task',
      scope_id: TASK_ID,
    });
  });

  it('artifacts', () => {
    const { answer } = shell(
      `vybe push --agent "$AGENT" --request-id "$REQ" \\
  --json "{\\"task_id\\":\\"$TASK_ID\\",\\"artifacts\\":[{\\"file_path\\":\\"made.txt\\"}]}"`,
      { AGENT, REQ: requestId(), TASK_ID },
    );
    expect(answer.data.artifacts).toEqual([
      { artifact_id: expect.any(String), file_path: 'made.txt', event_id: expect.any(Number) },
    ]);
  });

  it('event and artifact reads', () => {
    const events = shell('vybe events list --agent "$AGENT" --task-id "$TASK_ID" --limit 50', {
      AGENT,
      TASK_ID,
    }).answer;
    expect(events.data.events.map(({ kind }: { kind: string }) => kind)).toContain('progress');
    const artifacts = shell('vybe artifacts list --task-id "$TASK_ID" --limit 50', { TASK_ID }).answer;
    expect(artifacts.data).toMatchObject({
      task_id: TASK_ID,
      count: 1,
      artifacts: [{ file_path: 'made.txt', size_bytes: 4 }],
    });
    // Computed with another implementation of BLAKE3.
    expect(artifacts.data.artifacts[0].blake3).toBe(
      '8ed2f556480aa7e32ff1324149a5c6e2491e4c092174df502f7110b1e35ec7b8',
    );
  });

  it('task reads, transitions and completion', () => {
    expect(run('task', 'get', '--id', TASK_ID).answer.data).toMatchObject({
      id: TASK_ID,
      status: 'in_progress',
    });
    expect(run('task', 'list', '--project-id', WORKSPACE).answer.data).toMatchObject({
      count: 1,
      tasks: [{ id: TASK_ID }],
    });
    const write = (...argv: string[]): VybeRun => run(...argv, '--agent', AGENT, '--request-id', requestId());
    expect(write('task', 'set-priority', '--id', TASK_ID, '--priority', '7').answer.data.task.priority).toBe(
      7,
    );
    expect(
      write('task', 'set-status', '--id', TASK_ID, '--status', 'blocked', '--blocked-reason', 'why').answer
        .data.task,
    ).toMatchObject({ status: 'blocked', blocked_reason: 'why' });
    const done = write(
      'task',
      'complete',
      '--id',
      TASK_ID,
      '--outcome',
      'done',
      '--summary',
      '--all of it--',
    );
    expect(Object.keys(done.answer.data)).toEqual(['task', 'status_event_id', 'close_event_id']);
    expect(write('task', 'delete', '--id', TASK_ID).answer.data).toEqual({
      task_id: TASK_ID,
      event_id: expect.any(Number),
    });
  });
});

describe('the integration verifications', () => {
  const write = (agent: string, ...argv: string[]): VybeRun =>
    run(...argv, '--agent', agent, '--request-id', requestId());

  it('1, 4: resume returns the task in progress and the stored memories to a new session', () => {
    const { id } = write('one', 'task', 'create', '--title', 'Write the parser').answer.data.task as {
      id: string;
    };
    write('one', 'task', 'begin', '--id', id);
    write(
      'one',
      'push',
      '--json',
      JSON.stringify({ task_id: id, event: { kind: 'progress', message: 'the lexer is done' } }),
    );
    write('one', 'memory', 'set', '-k', 'style', '-v', 'two spaces');
    const { prompt, brief } = write('one', 'resume', '--project-dir', '/elsewhere').answer.data as {
      prompt: string;
      brief: { task: { title: string } };
    };
    expect(brief.task.title).toBe('Write the parser');
    for (const text of ['Write the parser', 'the lexer is done', 'two spaces'])
      expect(prompt).toContain(text);
  });

  it('a one-letter flag accepts its value as the next word, attached, or after =', () => {
    const get = (key: string): unknown => run('memory', 'get', '-k', key).answer.data.value;
    write('letters', 'memory', 'set', '-k', 'apart', '-v', '-5');
    write('letters', 'memory', 'set', '-kglued', '-vtwo words');
    write('letters', 'memory', 'set', '-k=equals', '-v=a=b');
    expect([get('apart'), get('glued'), get('equals')]).toEqual(['-5', 'two words', 'a=b']);
    const empty = run('memory', 'set', '-k=', '-v', 'x', '-a', 'letters', '--request-id', requestId());
    expect(empty.answer.error_code).toBe('E_VALIDATION');
  });

  it('2: a repeated write changes nothing and is marked as replayed', () => {
    const again = ['task', 'create', '--title', 'Once', '--agent', 'two', '--request-id', 'same'];
    const first = run(...again).answer.data;
    expect(run(...again).answer.data).toEqual({ ...first, replayed: true });
    expect(run(...again.with(3, 'Once, reworded')).answer.data).toEqual({
      ...first,
      replayed: true,
      payload_mismatch: true,
    });
    const titles = run('task', 'list').answer.data.tasks.map(
      ({ title }: { title: string }) => title,
    ) as string[];
    expect(titles.filter((title) => title.startsWith('Once'))).toEqual(['Once']);
    expect(run('memory', 'gc', '--agent', 'two', '--request-id', 'same').answer).toMatchObject({
      success: false,
      error_code: 'E_CONFLICT',
    });
  });

  it('3: updates of a task are visible in the list', () => {
    const { id } = write('three', 'task', 'create', '--title', 'Seen').answer.data.task as { id: string };
    write('three', 'task', 'set-status', '--id', id, '--status', 'blocked', '--blocked-reason', 'x');
    expect(run('task', 'list', '--status', 'blocked').answer.data.tasks).toMatchObject([
      { id, status: 'blocked' },
    ]);
  });

  it('5: schema commands describes every call', () => {
    const { commands } = run('schema', 'commands').answer.data as {
      commands: {
        command: string;
        args_schema: { required: string[]; properties: Record<string, { enum?: string[]; type?: string }> };
        mutates: boolean;
        requires_request_id: boolean;
      }[];
    };
    const by = new Map(commands.map((command) => [command.command, command]));
    expect(by.get('task complete')?.args_schema.required).toEqual([
      'id',
      'outcome',
      'summary',
      'agent',
      'request-id',
    ]);
    expect(by.get('task complete')?.args_schema.properties.outcome?.enum).toEqual(['done', 'blocked']);
    expect(by.get('memory set')?.args_schema.properties.scope?.enum).toEqual([
      'global',
      'project',
      'task',
      'agent',
    ]);
    const mutating = commands.filter(({ mutates }) => mutates).map(({ command }) => command);
    expect(mutating.filter((command) => by.get(command)?.requires_request_id)).toEqual([
      'memory set',
      'memory delete',
      'memory gc',
      'push',
      'resume',
      'task create',
      'task begin',
      'task heartbeat',
      'task take',
      'task set-status',
      'task set-priority',
      'task complete',
      'task add-dep',
      'task remove-dep',
      'task delete',
    ]);
    // A call without a required flag fails.
    const rows = commands.flatMap(({ command, args_schema: { required, properties } }) => {
      const values = required.map((name) => [
        name,
        properties[name]?.enum?.[0] ?? (name === 'priority' ? '1' : 'x'),
      ]);
      // One of the required flags, a different one for each command; all of them take long.
      const turn = command.length % Math.max(1, required.length);
      return (LONG ? required : required.slice(turn, turn + 1)).map((missing) => ({
        name: `${command} without ${missing}`,
        argv: [
          ...command.split(' '),
          ...values
            .filter(([name]) => name !== missing)
            .flatMap(([name, value]) => [`--${name}`, value ?? '']),
          // It may also come from standard input, so it is not a required flag.
          ...(command === 'push' ? ['--json', '{"event":{"kind":"k","message":"m"}}'] : []),
        ],
        missing,
      }));
    });
    expect(rows.length).toBeGreaterThan(10);
    for (const { name, argv, missing } of rows) {
      const { code, answer } = vybe(argv, { home: home.path, cwd });
      expect([code, ['E_USAGE', 'E_VALIDATION'].includes(answer.error_code ?? '')], name).toEqual([1, true]);
      expect(JSON.stringify(answer), name).toContain(missing.replaceAll('-', '_'));
    }
  }, 240_000);
});

describe('the format of answers', () => {
  it('is one line of JSON with exit 0 or 1, and log lines of JSON on standard error', () => {
    const good = run('task', 'list');
    expect([good.code, good.stderr, good.stdout.split('\n').length]).toEqual([0, '', 2]);
    const bad = run('task', 'get', '--id', 'nope');
    expect(bad.code).toBe(1);
    expect(Object.keys(bad.answer)).toEqual([
      'schema_version',
      'success',
      'error',
      'error_code',
      'error_context',
      'suggested_action',
    ]);
    expect(bad.answer).toMatchObject({
      schema_version: 'v1',
      success: false,
      error: 'Unknown task: "nope".',
      error_code: 'E_NOT_FOUND',
    });
    for (const line of bad.stderr.trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ level: 'error' });
    const blank = run('task', 'create', '--title', ' ', '--agent', 'a', '--request-id', 'blank');
    expect(blank.answer.suggested_action).toBe('See: vybe task create --help');
    const pretty = vybe(['task', 'list'], { home: home.path, cwd, env: { VYBE_PRETTY_JSON: '1' } });
    expect(pretty.stdout).toContain('\n  "schema_version": "v1"');
  });

  it('is an index without arguments, a list of commands for a namespace, and JSON for help', () => {
    const top = [
      'artifacts',
      'events',
      'help',
      'hook',
      'loop',
      'memory',
      'push',
      'resume',
      'schema',
      'status',
      'task',
      'upgrade',
    ];
    for (const words of [[], ['help']]) {
      const { data } = run(...words).answer;
      expect(Object.keys(data)).toEqual(['version', 'commands', 'schema_hint']);
      expect(data.commands.map(({ name }: { name: string }) => name)).toEqual(top);
    }
    const namespaces: Record<string, string[]> = {
      artifacts: ['list'],
      events: ['list'],
      hook: ['install', 'uninstall'],
      schema: ['commands'],
      memory: ['delete', 'gc', 'get', 'list', 'search', 'set'],
      task: [
        'add-dep',
        'begin',
        'complete',
        'create',
        'delete',
        'get',
        'heartbeat',
        'list',
        'next',
        'remove-dep',
        'set-priority',
        'set-status',
        'take',
      ],
    };
    for (const [namespace, names] of Object.entries(namespaces)) {
      const { data } = run(namespace).answer;
      expect(data.namespace).toBe(namespace);
      expect(data.subcommands.map(({ name }: { name: string }) => name)).toEqual(names);
    }
    expect(run('help', 'task', 'begin').answer.data.commands).toHaveLength(1);
    expect(run('--version').answer.data).toEqual({ version: expect.stringMatching(/^\d/u) });
    expect(run('task', 'create', '--help').stdout).toContain('--desc');
  });

  const pushed = (...argv: string[]): string[] => ['push', '--agent', 'a', '--request-id', 'r', ...argv];
  it.concurrent.each([
    ['E_USAGE', ['nope']],
    ['E_USAGE', ['task', 'nope']],
    ['E_VALIDATION', ['task', 'get']],
    ['E_USAGE', ['task', 'get', '--id']],
    ['E_USAGE', ['task', 'get', 'x']],
    ['E_VALIDATION', ['task', 'list', '--status', 'odd']],
    ['E_USAGE', ['task', 'list', '--odd']],
    ['E_USAGE', ['task', 'create', '--title', 'x', '--agent', 'a']],
    ['E_USAGE', ['task', 'create', '--title', 'x', '--request-id', 'r']],
    ['E_USAGE', ['events', 'list']],
    ['E_VALIDATION', pushed('--json', '{')],
    ['E_VALIDATION', pushed('--json', '[]')],
    ['E_VALIDATION', pushed('--json', '{}')],
    ['E_VALIDATION', pushed('--json', '{"odd":1}')],
    ['E_VALIDATION', pushed()],
    ['E_VALIDATION', pushed('--json', '{"artifacts":[{"file_path":"x"}]}')],
    ['E_VALIDATION', ['memory', 'get', '-k', 'x', '-s', 'odd']],
    [
      'E_HUMAN_REQUIRED',
      ['memory', 'set', '-k', 'x', '-v', 'y', '--kind', 'directive', '-a', 'a', '--request-id', 'r'],
    ],
  ])('is an error envelope with %s for %s', async (code, argv) => {
    const failed = await vybeAsync(argv, { home: home.path, cwd });
    expect([failed.code, failed.answer.success, failed.answer.error_code]).toEqual([1, false, code]);
    expect(typeof failed.answer.error).toBe('string');
    expect(failed.stdout).not.toMatch(/SQLITE|constraint|node_modules|\bat .+:\d+/u);
  });
});

describe('environment variables', () => {
  it('are used if a flag is not passed', () => {
    const path = join(home.path, 'other.db');
    const env = { VYBE_AGENT: 'env-agent', VYBE_REQUEST_ID: 'env-1', VYBE_DB_PATH: path };
    const answer = vybe(['task', 'create', '--title', 'From the environment'], {
      home: home.path,
      cwd,
      env,
    }).answer;
    expect(answer.success).toBe(true);
    expect(
      vybe(['task', 'list', '--db-path', '~/other.db'], { home: home.path, cwd }).answer.data.count,
    ).toBe(1);
    expect(vybe(['status'], { home: home.path, cwd, env }).answer.data.db).toMatchObject({
      path,
      source: 'VYBE_DB_PATH',
      ok: true,
    });
    const bad = vybe(['task', 'list'], { home: home.path, cwd, env: { VYBE_BUSY_TIMEOUT_MS: 'soon' } });
    expect(bad.answer.error_code).toBe('E_CONFIG');
  });
});

describe('reads', () => {
  it('create nothing, and --peek does not change a byte', () => {
    const fresh = createHome();
    for (const argv of [
      ['task', 'list'],
      ['status'],
      ['resume', '--peek', '--agent', 'a'],
      ['events', 'list', '--all'],
      ['memory', 'list'],
    ]) {
      expect(vybe(argv, { home: fresh.path }).code).toBe(0);
    }
    expect(vybe(['status'], { home: fresh.path }).answer.data.db).toMatchObject({ exists: false, ok: false });
    expect(vybe(['upgrade'], { home: fresh.path }).answer.data).toMatchObject({
      migrated: true,
      from_version: null,
    });
    vybe(['task', 'create', '--title', 'x', '--agent', 'a', '--request-id', 'r'], { home: fresh.path });
    const bytes = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(fresh.path, { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ name }) => [name, readFileSync(join(fresh.path, name), 'base64')]),
      );
    const before = bytes();
    const peeked = vybe(['resume', '--peek', '--agent', 'a', '--project-dir', 'p'], { home: fresh.path });
    expect(Object.keys(peeked.answer.data)).toEqual(['agent_name', 'brief']);
    expect(peeked.answer.data.brief.task.title).toBe('x');
    expect(bytes()).toEqual(before);
    fresh.dispose();
  });
});
