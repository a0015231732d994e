import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendAudit } from '../../src/contract/audit-log.ts';
import { confirmed, createHome, deed } from '../fixtures/run-deed.ts';
import { vybe, type VybeRun } from '../fixtures/run-vybe.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let home: ReturnType<typeof createHome>;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.dispose());

const run = (...argv: string[]): VybeRun => vybe([...argv, '--agent', 'a'], { home: home.path });
const push = (id: string): VybeRun =>
  run('push', '--request-id', id, '--json', JSON.stringify({ event: { kind: 'note', message: id } }));

/** Moves all times of the store: for the next call, its clock is ahead by this much. */
function moveStore(days: number): void {
  const database = new DatabaseSync(join(home.path, 'deed.db'));
  const columns: [string, string][] = [
    ['events', 'created_at'],
    ['requests', 'created_at'],
    ['memories', 'expires_at'],
    ['tasks', 'claim_expires_at'],
  ];
  for (const [table, column] of columns)
    database.exec(
      `UPDATE ${table} SET ${column} = strftime('%Y-%m-%dT%H:%M:%fZ', ${column}, '${-days} days') WHERE ${column} IS NOT NULL`,
    );
  database.close();
}

/** Moves the time of the last write that is recorded outside the store. */
function moveRecord(days: number): void {
  const folder = join(home.path, 'stores');
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const moved = readFileSync(path, 'utf8').replace(
      / (\d{13}) /u,
      (_, at) => ` ${Number(at) - days * DAY_MS} `,
    );
    writeFileSync(path, moved);
  }
}

const LINE = {
  phase: 'end',
  command: 'push',
  args: {},
  account: {},
  agent: null,
  request_id: null,
  exit_code: 0,
  code: null,
  duration_ms: 1,
} as const;

/** Logs a call at this time: for the next call, its clock is ahead. */
async function callAt(time: string): Promise<void> {
  const at = (...names: string[]): string => join(home.path, ...names);
  const folder = (...names: string[]): string => {
    mkdirSync(at(...names), { recursive: true, mode: 0o700 });
    return at(...names);
  };
  await appendAudit({ path: home.path, at, folder }, { ...LINE, at: time }, { sync: true });
}

/** Makes the files of a folder a year old. */
function moveFiles(...segments: string[]): void {
  const before = new Date(Date.now() - 365 * DAY_MS);
  for (const name of readdirSync(join(home.path, ...segments)))
    utimesSync(join(home.path, ...segments, name), before, before);
}

describe('a clock that is a year ahead for one call', () => {
  it('deletes no answers and no memories, and is reported; a retry does not write twice', () => {
    push('one');
    run('memory', 'set', '--request-id', 'm', '--key', 'k', '--value', 'v', '--expires-in', '30d');
    moveStore(365);
    const collected = run('memory', 'gc', '--request-id', 'gc');
    expect(collected.answer.data).toMatchObject({ deleted: 0 });
    expect(collected.stderr).toContain('The clock');
    moveStore(-365);
    expect(push('one').answer.data.replayed).toBe(true);
    expect(run('memory', 'get', '--key', 'k').answer.data.value).toBe('v');
  });

  it('that is right deletes what expired, after further calls', () => {
    run('memory', 'set', '--request-id', 'm', '--key', 'k', '--value', 'v', '--expires-in', '1d');
    moveStore(365);
    for (let index = 0; index < 20; index += 1) push(`later ${index}`);
    const collected = run('memory', 'gc', '--request-id', 'gc');
    expect([collected.answer.data.deleted, collected.stderr]).toEqual([1, '']);
  });

  it('is reported by a push, and starts no month of the audit log', async () => {
    await callAt('2025-01-15T00:00:00.000Z');
    expect(push('one').stderr).toContain('more than two months after the last call (2025-01-15');
    expect(push('two').stderr).toBe('');
    expect(readdirSync(join(home.path, 'audit')).filter((name) => name.endsWith('.jsonl'))).toEqual([
      'audit-2025-01.jsonl',
    ]);
    const { data } = deed(['audit', 'verify'], { home: home.path }).envelope;
    expect(data).toMatchObject({ valid: true });
  });

  it('gives a lease that the next call with a right clock shortens', () => {
    const { task } = run('task', 'create', '--title', 't', '--request-id', 'c').answer.data;
    run('task', 'begin', '--id', task.id, '--request-id', 'b');
    const database = new DatabaseSync(join(home.path, 'deed.db'));
    database.exec("UPDATE tasks SET claim_expires_at = '2099-01-01T00:00:00.000Z'");
    database.close();
    push('next');
    const { claim } = deed(['task', 'get', '--id', task.id], { home: home.path }).envelope.data;
    expect(Date.parse(claim.expires_at as string) - Date.now()).toBeLessThan(DAY_MS);
    expect(claim.expired).toBe(false);
  });

  it('neither takes the task of another agent nor holds one for a year', () => {
    const create = (title: string): string =>
      run('task', 'create', '--title', title, '--request-id', title).answer.data.task.id as string;
    const begin = (agent: string, id: string, request: string): VybeRun =>
      vybe(['task', 'begin', '--id', id, '--agent', agent, '--request-id', request], { home: home.path });
    const [taken, free] = [create('taken'), create('free')];
    expect(begin('b', taken, 'b1').code).toBe(0);
    moveStore(365);
    moveRecord(365);
    const refused = begin('c', taken, 'c1');
    expect([refused.answer.error_code, refused.stderr]).toEqual([
      'E_CONFLICT',
      expect.stringContaining('has jumped'),
    ]);
    expect(Date.parse(begin('c', free, 'c2').answer.data.task.claim.expires_at as string)).toBeLessThan(
      Date.now() - 364 * DAY_MS,
    );
    // Later calls with the same clock confirm it.
    for (let index = 0; index < 20; index += 1) push(`later ${index}`);
    expect(begin('c', taken, 'c3').code).toBe(0);
  });

  it('does not delete the answers of commands that are not in the store', () => {
    const set = ['config', 'set', 'list.limit', '7', '--request-id', 'r'];
    expect(confirmed(set, { home: home.path }).code).toBe(0);
    confirmed(['config', 'set', 'list.limit', '8', '--request-id', 'r2'], { home: home.path });
    moveFiles('requests');
    confirmed(['config', 'set', 'list.limit', '9', '--request-id', 'r3'], { home: home.path });
    expect(deed([...set, '--dry-run'], { home: home.path }).envelope.data?.confirm_token).toBeDefined();
    expect(deed(set, { home: home.path }).envelope.data?.replayed).toBe(true);
  });

  it.each(['with', 'without'])(
    'lets gc delete nothing in a home %s a store, and is reported',
    async (has) => {
      if (has === 'with') push('one');
      else await callAt(new Date(Date.now() - 365 * DAY_MS).toISOString());
      const set = ['config', 'set', 'list.limit', '7', '--request-id', 'r'];
      expect(confirmed(set, { home: home.path }).code).toBe(0);
      mkdirSync(join(home.path, 'sessions'), { mode: 0o700 });
      writeFileSync(join(home.path, 'sessions', 'sess_1.jsonl'), '{}\n', { mode: 0o600 });
      if (has === 'with') moveStore(365);
      moveFiles('requests');
      moveFiles('sessions');
      for (const argv of [['gc'], ['agent', 'sessions', 'prune'], ['work', 'gc']]) {
        const cleaned = confirmed(argv, { home: home.path });
        expect([argv, cleaned.code, cleaned.stderr]).toEqual([argv, 0, expect.stringContaining('The clock')]);
      }
      expect(readdirSync(join(home.path, 'sessions'))).toEqual(['sess_1.jsonl']);
      expect(deed(set, { home: home.path }).envelope.data?.replayed).toBe(true);
    },
  );
});

describe('a pause of four months', () => {
  it('lets gc and audit retire leave the month that is still written to', async () => {
    await callAt(new Date(Date.now() - 120 * DAY_MS).toISOString());
    const { data } = confirmed(['gc'], { home: home.path }).envelope;
    expect(data.parts[0]).toMatchObject({ part: 'audit', removed: 0, problem: null });
    const before = new Date().toISOString().slice(0, 7);
    const retired = deed(['audit', 'retire', '--before', before, '--dry-run'], { home: home.path });
    expect(retired.envelope.data?.preview.changes).toEqual([]);
    expect(deed(['audit', 'verify'], { home: home.path }).envelope.data).toMatchObject({ valid: true });
  });
});
