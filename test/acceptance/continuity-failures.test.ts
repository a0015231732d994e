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
import { startVybe, vybe, vybeEnvironment, type VybeRun } from '../fixtures/run-vybe.ts';

const home = createHome();
afterAll(() => home.dispose());
const db = join(home.path, 'deed.db');
const run = (argv: readonly string[], input?: string | Uint8Array, env?: Record<string, string>): VybeRun =>
  vybe(argv, { home: home.path, ...(input !== undefined && { input }), ...(env && { env }) });
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

/** A store with one event, made once; each test begins with a copy. */
const prepared = join(home.path, 'prepared.db');
beforeAll(() => {
  expect(push(event('before')).answer.success).toBe(true);
  expect(existsSync(`${db}-wal`)).toBe(false);
  renameSync(db, prepared);
});
beforeEach(() => {
  for (const name of ['deed.db-wal', 'deed.db-shm']) rmSync(join(home.path, name), { force: true });
  rmSync(db, { force: true });
  copyFileSync(prepared, db);
});

function expectRefused(failed: VybeRun, code: string): void {
  expect([failed.code, failed.answer.error_code]).toEqual([1, code]);
  expect(failed.stdout).not.toMatch(/SQLITE|INSERT|constraint/u);
}

describe('bad input', () => {
  it.each([
    ['a payload of 5 MB', Buffer.from(event('x'.repeat(5_000_000)))],
    ['a message beyond its limit', Buffer.from(event('x'.repeat(70_000)))],
    ['no JSON', Buffer.from('{"event":')],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['a lone surrogate', Buffer.from(String.raw`{"event":{"kind":"progress","message":"\ud800"}}`)],
    ['a NUL byte', Buffer.from(String.raw`{"event":{"kind":"progress","message":"a\u0000b"}}`)],
    [
      'a NUL in a key of the metadata',
      Buffer.from(String.raw`{"event":{"kind":"progress","message":"a","metadata":{"\u0000":1}}}`),
    ],
    [
      'nesting without end',
      Buffer.from(
        `{"event":{"kind":"p","message":"x","metadata":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}}`,
      ),
    ],
    ['an unknown member', Buffer.from('{"evnt":{}}')],
    ['a wrong enum', Buffer.from('{"task_id":"x","task_status":{"status":"dreaming"}}')],
    ['nothing', Buffer.from('')],
    [
      'too many parts',
      Buffer.from(
        JSON.stringify({
          memories: Array.from({ length: 501 }, (_, index) => ({ key: `k${index}`, value: 1 })),
        }),
      ),
    ],
  ])('%s is refused, and nothing is lost', (_, input) => {
    expectRefused(push(input), 'E_VALIDATION');
    expect(integrity()).toEqual({ integrity: 'ok', messages: ['before'] });
  });

  it('with an unknown id is not found', () => {
    expectRefused(push('{"task_id":"task_1","event":{"kind":"progress","message":"x"}}'), 'E_NOT_FOUND');
    for (const argv of [
      ['task', 'get', '--id', 'x'],
      ['memory', 'get', '-k', 'x'],
      ['task', 'begin', '--id', 'x', '-a', 'a', '--request-id', 'q'],
    ])
      expectRefused(run(argv), 'E_NOT_FOUND');
  });

  it('that never comes is waited for five seconds', async () => {
    const child = startVybe(['push', '--agent', 'a', '--request-id', 'silent'], { home: home.path });
    let stdout = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    const startedAt = performance.now();
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect([code, (JSON.parse(stdout) as { error_code: string }).error_code]).toEqual([1, 'E_USAGE']);
    expect(performance.now() - startedAt).toBeGreaterThan(4500);
  });
});

describe('a database in trouble', () => {
  it('that is locked is waited for, then told of; the same request id works when it is free', () => {
    const other = new DatabaseSync(db);
    other.exec('BEGIN IMMEDIATE');
    const argv = ['push', '--agent', 'a', '--request-id', 'locked', '--json', event('after the lock')];
    expectRefused(run(argv, '', { VYBE_BUSY_TIMEOUT_MS: '300' }), 'E_TIMEOUT');
    expect(run(['task', 'list']).answer.success).toBe(true);
    other.exec('ROLLBACK');
    other.close();
    expect(run(argv).answer.success).toBe(true);
    expect(integrity()).toEqual({ integrity: 'ok', messages: ['before', 'after the lock'] });
  });

  it('that is cut off is told of, and status says so without failing', () => {
    for (let index = 0; index < 8; index += 1) push(event('x'.repeat(60_000)));
    run(['upgrade']);
    truncateSync(db, 50_000);
    rmSync(`${db}-wal`, { force: true });
    const before = readFileSync(db);
    const failed = push(event('onto the ruins'));
    expectRefused(failed, 'E_INTEGRITY');
    const status = run(['status', '--check']);
    expect([status.code, status.answer.data.db.ok]).toEqual([0, false]);
    expect(readFileSync(db)).toEqual(before);
  });

  it('of a newer version or another program is refused and stays as it is', () => {
    const newer = new DatabaseSync(db);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    for (const failed of [push(event('x')), run(['task', 'list']), run(['upgrade'])])
      expectRefused(failed, 'E_CONFIG');
    const foreign = join(home.path, 'foreign.db');
    const other = new DatabaseSync(foreign);
    other.exec('CREATE TABLE t (x)');
    other.close();
    expectRefused(run(['upgrade', '--db-path', foreign]), 'E_CONFIG');
    rmSync(foreign);
  });

  it.runIf(process.getuid?.() !== 0)('that is read-only refuses the write and keeps what it has', () => {
    chmodSync(db, 0o400);
    expectRefused(push(event('refused')), 'E_FORBIDDEN');
    chmodSync(db, 0o600);
    expect(integrity()).toEqual({ integrity: 'ok', messages: ['before'] });
  });

  it('that cannot be created says which folder', () => {
    writeFileSync(join(home.path, 'file'), '');
    const failed = run(['upgrade', '--db-path', join(home.path, 'file/deed.db')]);
    expect([failed.code, failed.answer.success]).toEqual([1, false]);
    expect(failed.answer.error).toContain('file');
  });

  it('on a full disk refuses the write, keeps what it has, and goes on when there is room', () => {
    const disk = join(home.path, 'disk');
    mkdirSync(disk, { recursive: true });
    const mounted =
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=600k,mode=700', 'tmpfs', disk]).status === 0;
    const path = join(disk, 'small.db');
    const [program, ...first] = executable('vybe');
    // Where nothing can be mounted, a limit on the size of files does the same.
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

  it('never fail their host, whatever they are given', () => {
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
      const called = hook(name, input);
      expect([called.code, called.stdout]).toEqual([0, '']);
    }
    writeFileSync(join(home.path, 'bad.db'), 'x'.repeat(5000));
    expect(hook('prompt', '{"prompt":"x"}', { VYBE_DB_PATH: join(home.path, 'bad.db') })).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(hook('session-start', '{}', { VYBE_DISABLE_HOOKS: '1' }).stdout).toBe('');
  });

  it('that a busy host speaks to late still hear it', async () => {
    const child = startVybe(['hook', 'prompt'], { home: home.path });
    await sleep(1500);
    child.stdin?.end('{"prompt":"said late","cwd":"/app"}');
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    expect(run(['events', 'list', '--all', '--kind', 'user_prompt']).answer.data.events).toMatchObject([
      { message: 'said late' },
    ]);
  });

  it('wait for a locked database a second, not longer, and a session that starts then still gets its brief', () => {
    run(['task', 'create', '--title', 'Go on', '--project-id', '/app', '--agent', 'a', '--request-id', 'go']);
    const other = new DatabaseSync(db);
    other.exec('BEGIN IMMEDIATE');
    const startedAt = performance.now();
    expect(hook('prompt', '{"prompt":"x"}').code).toBe(0);
    const started = hook('session-start', '{"cwd":"/app"}');
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect([started.code, JSON.parse(started.stdout)]).toEqual([
      0,
      {
        hookSpecificOutput: {
          hookEventName: 'SessionStart',
          additionalContext: expect.stringContaining('Go on'),
        },
      },
    ]);
    other.exec('ROLLBACK');
    other.close();
  });
});

describe('a loop', () => {
  it('ends the whole process tree of a task that takes too long', async () => {
    const program = join(home.path, 'hang.sh');
    // The child in a session of its own is out of reach of a signal to the group.
    // The one whose parent is gone as well is not even below the agent.
    const script = '#!/bin/sh\nsetsid sleep 4711 &\n(setsid sleep 4713 >/dev/null 2>&1 &)\nsleep 4712\n';
    writeFileSync(program, script, { mode: 0o755 });
    run(['task', 'create', '--title', 'hangs', '--agent', 'l', '--request-id', 'hang']);
    const looped = run([
      'loop',
      '--agent',
      'l',
      '--command',
      program,
      '--task-timeout',
      '2s',
      '--max-tasks',
      '1',
      '--cooldown',
      '0s',
    ]);
    expect(looped.answer.data).toMatchObject({ total: 1, failed: 1, results: [{ status: 'timeout' }] });
    await sleep(200);
    const left = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout;
    expect(left).not.toMatch(/sleep 471[123]/u);
    expect(run(['task', 'list']).answer.data.tasks[0]).toMatchObject({
      status: 'blocked',
      blocked_reason: 'failure:timeout',
    });
  }, 60_000);
});
