import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHome, executable } from '../fixtures/run-deed.ts';
import { startVybe, vybe, vybeAsync, vybeEnvironment, type VybeRun } from '../fixtures/run-vybe.ts';

const home = createHome();
afterAll(() => home.dispose());
const db = join(home.path, 'deed.db');
const run = (argv: readonly string[], input?: string | Uint8Array, env?: Record<string, string>): VybeRun =>
  vybe(argv, {
    home: home.path,
    ...(input !== undefined && { input }),
    ...(env && { env }),
    ownProcess: true,
  });
/** Like `run`, for calls that do not depend on their process. */
const served = (argv: readonly string[], input: string | Uint8Array = ''): VybeRun =>
  vybe(argv, { home: home.path, input });
let requests = 0;
const push = (input: string | Uint8Array, env?: Record<string, string>): VybeRun =>
  run(['push', '--agent', 'a', '--request-id', `r${(requests += 1)}`], input, env);
const event = (message: string): string => JSON.stringify({ event: { kind: 'progress', message } });

function integrity(): { integrity: unknown; messages: string[] } {
  const database = new DatabaseSync(db);
  try {
    return {
      integrity: database.prepare('PRAGMA integrity_check').get()?.integrity_check,
      messages: database
        .prepare("SELECT message FROM events WHERE kind = 'progress' ORDER BY id")
        .all()
        .map((row) => String(row.message)),
    };
  } finally {
    database.close();
  }
}

/** A store with one event, created once; each test starts with a copy of it. */
const prepared = join(home.path, 'prepared.db');
beforeAll(() => {
  expect(push(event('before')).answer.success).toBe(true);
  expect(existsSync(`${db}-wal`)).toBe(false);
  renameSync(db, prepared);
});
beforeEach(() => {
  for (const name of ['deed.db-wal', 'deed.db-shm']) rmSync(join(home.path, name), { force: true });
  rmSync(db, { force: true });
  // Otherwise the copy would count as a store that has lost its writes.
  rmSync(join(home.path, 'stores'), { recursive: true, force: true });
  copyFileSync(prepared, db);
});

function expectFault(failed: VybeRun, code: string): void {
  expect([failed.code, failed.answer.error_code]).toEqual([1, code]);
  expect(failed.stdout).not.toMatch(/SQLITE|INSERT|constraint/u);
}

describe('bad input', () => {
  it.each<[string, string | Uint8Array]>([
    ['a payload of 5 MB', event('x'.repeat(5_000_000))],
    ['a message beyond its limit', event('x'.repeat(70_000))],
    ['invalid JSON', '{"event":'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['a lone surrogate', String.raw`{"event":{"kind":"progress","message":"\ud800"}}`],
    ['a NUL byte', String.raw`{"event":{"kind":"progress","message":"a\u0000b"}}`],
    [
      'a NUL byte in a metadata key',
      String.raw`{"event":{"kind":"progress","message":"a","metadata":{"\u0000":1}}}`,
    ],
    [
      '5000 levels of nesting',
      Buffer.from(
        `{"event":{"kind":"p","message":"x","metadata":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}}`,
      ),
    ],
    ['an unknown field', '{"evnt":{}}'],
    ['an invalid enum value', '{"task_id":"x","task_status":{"status":"dreaming"}}'],
    ['empty input', ''],
    [
      'too many parts',
      Buffer.from(
        JSON.stringify({
          memories: Array.from({ length: 501 }, (_, index) => ({ key: `k${index}`, value: 1 })),
        }),
      ),
    ],
  ])('%s is rejected, and the store is unchanged', (_, input) => {
    expectFault(served(['push', '--agent', 'a', '--request-id', 'bad'], input), 'E_VALIDATION');
    expect(integrity()).toEqual({ integrity: 'ok', messages: ['before'] });
  });

  it('with an unknown id is E_NOT_FOUND', () => {
    expectFault(push('{"task_id":"task_1","event":{"kind":"progress","message":"x"}}'), 'E_NOT_FOUND');
    for (const argv of [
      ['task', 'get', '--id', 'x'],
      ['memory', 'get', '-k', 'x'],
      ['task', 'begin', '--id', 'x', '-a', 'a', '--request-id', 'q'],
    ])
      expectFault(served(argv), 'E_NOT_FOUND');
  });
});

describe('a database', () => {
  it('that stays locked is E_TIMEOUT, and the same request id works when it is free', () => {
    const other = new DatabaseSync(db);
    other.exec('BEGIN IMMEDIATE');
    const argv = ['push', '--agent', 'a', '--request-id', 'locked', '--json', event('after the lock')];
    expectFault(run(argv, '', { VYBE_BUSY_TIMEOUT_MS: '300' }), 'E_TIMEOUT');
    expect(run(['task', 'list']).answer.success).toBe(true);
    other.exec('ROLLBACK');
    other.close();
    expect(run(argv).answer.success).toBe(true);
    expect(integrity()).toEqual({ integrity: 'ok', messages: ['before', 'after the lock'] });
  });

  it('that is truncated is E_DAMAGED, and status reports it without failing', () => {
    const memories = Array.from({ length: 120 }, (_, index) => ({
      key: `k${index}`,
      value: 'x'.repeat(1000),
    }));
    expect(push(JSON.stringify({ memories })).answer.success).toBe(true);
    truncateSync(db, 50_000);
    rmSync(`${db}-wal`, { force: true });
    const before = readFileSync(db);
    const failed = push(event('after the damage'));
    expectFault(failed, 'E_DAMAGED');
    const status = run(['status', '--check']);
    expect([status.code, status.answer.data.db.ok]).toEqual([0, false]);
    expect(readFileSync(db)).toEqual(before);
  });

  it('of a newer version or another program is E_CONFIG and is not changed', () => {
    const newer = new DatabaseSync(db);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    for (const failed of [push(event('x')), served(['task', 'list']), served(['upgrade'])])
      expectFault(failed, 'E_CONFIG');
    const foreign = join(home.path, 'foreign.db');
    const other = new DatabaseSync(foreign);
    other.exec('CREATE TABLE t (x)');
    other.close();
    expectFault(run(['upgrade', '--db-path', foreign]), 'E_CONFIG');
    rmSync(foreign);
  });

  it.runIf(process.getuid?.() !== 0)('that is read-only is E_FORBIDDEN, and the store is unchanged', () => {
    chmodSync(db, 0o400);
    expectFault(push(event('refused')), 'E_FORBIDDEN');
    chmodSync(db, 0o600);
    expect(integrity()).toEqual({ integrity: 'ok', messages: ['before'] });
  });

  it('that cannot be created is E_IO with the path', () => {
    writeFileSync(join(home.path, 'file'), '');
    const failed = run(['upgrade', '--db-path', join(home.path, 'file/deed.db')]);
    expectFault(failed, 'E_IO');
    expect(failed.answer.error).toContain(join(home.path, 'file'));
  });

  it('on a full disk rejects the write and keeps all acknowledged events', () => {
    const disk = join(home.path, 'disk');
    mkdirSync(disk, { recursive: true });
    const mounted =
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=600k,mode=700', 'tmpfs', disk]).status === 0;
    const path = join(disk, 'small.db');
    const [program, ...first] = executable('vybe');
    // Without permission to mount, a file size limit has the same effect.
    const small = (index: number, size: number): VybeRun['answer'] => {
      const argv = [...first, 'push', '--agent', 'a', '--request-id', `s${index}`, '--db-path', path];
      const command = mounted
        ? [program, ...argv]
        : ['sh', '-c', 'ulimit -f 1200; exec "$0" "$@"', program, ...argv];
      const { stdout } = spawnSync(command[0] ?? '', command.slice(1), {
        env: vybeEnvironment({ home: home.path }),
        input: event('x'.repeat(size)),
        encoding: 'utf8',
      });
      return JSON.parse(stdout) as VybeRun['answer'];
    };
    try {
      const written: number[] = [];
      let failed: VybeRun['answer'] | undefined;
      for (let index = 0; index < 60 && failed === undefined; index += 1) {
        const answer = small(index, 50_000);
        if (answer.success) written.push(index);
        else failed = answer;
      }
      expect(['E_IO', 'E_FORBIDDEN']).toContain(failed?.error_code);
      const database = new DatabaseSync(path, { readOnly: true });
      const stored = Number(database.prepare('SELECT count(*) AS n FROM events').get()?.n);
      expect(database.prepare('PRAGMA integrity_check').get()?.integrity_check).toBe('ok');
      database.close();
      expect(stored).toBe(written.length);
    } finally {
      if (mounted) spawnSync('umount', [disk]);
    }
  });
});

describe('hooks', () => {
  const hook = (event: string, input: string, env: Record<string, string> = {}): VybeRun =>
    run(['hook', event], input, env);

  it('always exit with 0, for any input', () => {
    expect(hook('session-start', JSON.stringify({ cwd: '/app', session_id: 's' })).stdout).toContain(
      '"hookEventName":"SessionStart"',
    );
    for (const [name, input] of [
      ['prompt', '{"prompt":"hello"}'],
      ['tool-success', '{broken'],
      ['tool-failure', ''],
      ['session-end', '[]'],
      ['checkpoint', '{}'],
    ] as const) {
      const called = served(['hook', name], input);
      expect([called.code, called.stdout]).toEqual([0, '']);
    }
    writeFileSync(join(home.path, 'bad.db'), 'x'.repeat(5000));
    expect(hook('prompt', '{"prompt":"x"}', { VYBE_DB_PATH: join(home.path, 'bad.db') })).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(hook('session-start', '{}', { VYBE_DISABLE_HOOKS: '1' }).stdout).toBe('');
  });
});

/** Each of these waits most of the time, so they run concurrently, each with its own home. */
describe.concurrent('a call that waits', () => {
  const homes: ReturnType<typeof createHome>[] = [];
  afterAll(() => {
    for (const own of homes) own.dispose();
  });
  const newHome = (): string => {
    const own = createHome();
    homes.push(own);
    return own.path;
  };
  const close = (child: ReturnType<typeof startVybe>): Promise<unknown> =>
    new Promise((resolve) => child.on('close', resolve));
  const create = async (path: string, ...argv: string[]): Promise<void> => {
    const created = await vybeAsync(['task', 'create', '--agent', 'a', '--request-id', 'create', ...argv], {
      home: path,
    });
    expect(created.answer.success).toBe(true);
  };

  it('for standard input stops after five seconds', async () => {
    const child = startVybe(['push', '--agent', 'a', '--request-id', 'silent'], { home: newHome() });
    let stdout = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    const startedAt = performance.now();
    const code = await close(child);
    expect([code, (JSON.parse(stdout) as { error_code: string }).error_code]).toEqual([1, 'E_USAGE']);
    expect(performance.now() - startedAt).toBeGreaterThan(4500);
  });

  it('as a hook for late input of its host records it', async () => {
    const path = newHome();
    const child = startVybe(['hook', 'prompt'], { home: path });
    await sleep(1500);
    child.stdin?.end('{"prompt":"sent late","cwd":"/app"}');
    expect(await close(child)).toBe(0);
    const { answer } = await vybeAsync(['events', 'list', '--all', '--kind', 'user_prompt'], { home: path });
    expect(answer.data.events).toMatchObject([{ message: 'sent late' }]);
  });

  it('as a hook for a locked database stops after a second, and a session start still returns the brief', async () => {
    const path = newHome();
    await create(path, '--title', 'Continue', '--project-id', '/app');
    const other = new DatabaseSync(join(path, 'deed.db'));
    other.exec('BEGIN IMMEDIATE');
    const startedAt = performance.now();
    const [prompt, started] = await Promise.all([
      vybeAsync(['hook', 'prompt'], { home: path, input: '{"prompt":"x"}' }),
      vybeAsync(['hook', 'session-start'], { home: path, input: '{"cwd":"/app"}' }),
    ]);
    // Far below the twenty seconds that other commands wait.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(prompt.code).toBe(0);
    expect([started.code, JSON.parse(started.stdout)]).toEqual([
      0,
      {
        hookSpecificOutput: {
          hookEventName: 'SessionStart',
          additionalContext: expect.stringContaining('Continue'),
        },
      },
    ]);
    other.exec('ROLLBACK');
    other.close();
  });

  it('as a loop for a task that times out terminates its whole process tree', async ({ expect }) => {
    const path = newHome();
    const program = join(path, 'hang.sh');
    // A duration that no other process on this machine uses.
    const seconds = `47${process.pid}`;
    // The first child has its own session, so a signal to the process group does not reach it. The second has also lost its parent, so
    // it is not a descendant of the agent.
    const script = `#!/bin/sh\nsetsid sleep ${seconds}1 &\n(setsid sleep ${seconds}2 >/dev/null 2>&1 &)\nsleep ${seconds}3\n`;
    writeFileSync(program, script, { mode: 0o755 });
    await create(path, '--title', 'hangs');
    const flags = ['--task-timeout', '1s', '--max-tasks', '1', '--cooldown', '0s'];
    const looped = await vybeAsync(['loop', '--agent', 'l', '--command', program, ...flags], { home: path });
    expect(looped.answer.data).toMatchObject({ total: 1, failed: 1, results: [{ status: 'timeout' }] });
    const processes = (): string => spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout;
    // `poll` needs the `expect` of its test. The processes would sleep for hours; a killed process may stay visible for a moment on a busy machine.
    await expect.poll(processes, { timeout: 20_000 }).not.toMatch(new RegExp(`sleep ${seconds}[123]`, 'u'));
    const { answer } = await vybeAsync(['task', 'list'], { home: path });
    expect(answer.data.tasks[0]).toMatchObject({ status: 'blocked', blocked_reason: 'failure:timeout' });
  }, 60_000);
});
