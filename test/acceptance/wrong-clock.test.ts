import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
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
    const at = (...names: string[]): string => join(home.path, ...names);
    const folder = (...names: string[]): string => {
      mkdirSync(at(...names), { recursive: true, mode: 0o700 });
      return at(...names);
    };
    await appendAudit(
      { path: home.path, at, folder },
      { ...LINE, at: '2025-01-15T00:00:00.000Z' },
      { sync: true },
    );
    expect(push('one').stderr).toContain('more than two months after the last call (2025-01-15');
    expect(push('two').stderr).toBe('');
    expect(readdirSync(at('audit')).filter((name) => name.endsWith('.jsonl'))).toEqual([
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

  it('does not delete the answers of commands that are not in the store', () => {
    const set = ['config', 'set', 'list.limit', '7', '--request-id', 'r'];
    expect(confirmed(set, { home: home.path }).code).toBe(0);
    confirmed(['config', 'set', 'list.limit', '8', '--request-id', 'r2'], { home: home.path });
    const folder = join(home.path, 'requests');
    const before = new Date(Date.now() - 365 * DAY_MS);
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), before, before);
    confirmed(['config', 'set', 'list.limit', '9', '--request-id', 'r3'], { home: home.path });
    expect(deed([...set, '--dry-run'], { home: home.path }).envelope.data?.confirm_token).toBeDefined();
    expect(deed(set, { home: home.path }).envelope.data?.replayed).toBe(true);
  });
});
