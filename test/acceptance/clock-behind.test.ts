import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHome, deed } from '../fixtures/run-deed.ts';
import { vybe, type VybeRun } from '../fixtures/run-vybe.ts';
import { LONG } from '../fixtures/start-node.ts';

const HOUR_MS = 60 * 60 * 1000;

let home: ReturnType<typeof createHome>;
let requests = 0;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.dispose());

const as = (agent: string, ...argv: string[]): VybeRun => {
  requests += 1;
  const id = argv.includes('--request-id') ? [] : ['--request-id', `r${requests}`];
  return vybe([...argv, '--agent', agent, ...id], { home: home.path });
};
const read = (...argv: string[]): VybeRun => vybe(argv, { home: home.path });
const create = (title: string): string => as('a', 'task', 'create', '--title', title).answer.data.task.id;
const begin = (agent: string, id: string): VybeRun => as(agent, 'task', 'begin', '--id', id);
const push = (...more: string[]): VybeRun =>
  as('a', 'push', '--json', JSON.stringify({ event: { kind: 'note', message: 'x' } }), ...more);
const leaseOf = (id: string): { expires_at: string; expired: boolean; agent: string } =>
  deed(['task', 'get', '--id', id], { home: home.path }).envelope.data.claim;

const TIMES = [
  ['events', 'created_at'],
  ['requests', 'created_at'],
  ['memories', 'expires_at'],
  ['tasks', 'claim_expires_at'],
  ['tasks', 'created_at'],
  ['tasks', 'updated_at'],
  ['lost_claims', 'lost_at'],
] as const;

/** Moves all times of the store into the future, so that the clock of the next calls is behind by this much; a negative number moves them back. */
function setBehind(hours: number): void {
  const database = new DatabaseSync(join(home.path, 'deed.db'));
  for (const [table, column] of TIMES)
    database.exec(
      `UPDATE ${table} SET ${column} = strftime('%Y-%m-%dT%H:%M:%fZ', ${column}, '${hours} hours') WHERE ${column} IS NOT NULL`,
    );
  database.close();
  changeRecord((text) => text.replace(/ (\d{13}) /u, (_, at) => ` ${Number(at) + hours * HOUR_MS} `));
}

function changeRecord(change: (text: string) => string): void {
  const folder = join(home.path, 'stores');
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  }
}

/** What the store knows about the time besides its own rows. */
const KNOWLEDGE: readonly (readonly [string, () => void])[] = [
  ['on the same machine', () => undefined],
  [
    'after a start of the machine',
    () =>
      changeRecord((text) =>
        text.replace(/[\da-f]{8}-[\da-f-]{27}/u, '0'.repeat(8) + '-1111'.repeat(3) + '-' + '1'.repeat(12)),
      ),
  ],
  ['in a home without a record of the time', () => rmSync(join(home.path, 'stores'), { recursive: true })],
];

// In the short suite, the shortest and the longest time.
describe.each(LONG ? [2, 24, 365 * 24] : [2, 365 * 24])(
  'a clock that is %i hours behind for a few calls',
  (hours) => {
    it.each(KNOWLEDGE)('neither loses nor takes a claim, %s', (_where, prepare) => {
      const [taken, free, later] = [create('taken'), create('free'), create('later')];
      expect(begin('b', taken).code).toBe(0);
      const before = leaseOf(taken).expires_at;
      setBehind(hours);
      prepare();
      const refused = begin('c', taken);
      expect([refused.answer.error_code, refused.stderr]).toEqual([
        'E_CONFLICT',
        expect.stringContaining('is behind'),
      ]);
      // Each of these extends the lease, or leaves it; none ends it in the past.
      expect(as('b', 'task', 'heartbeat', '--id', taken).code).toBe(0);
      const progress = JSON.stringify({ event: { kind: 'progress', message: 'x' }, task_id: taken });
      const pushed = as('b', 'push', '--json', progress);
      expect(pushed.code).toBe(0);
      expect(pushed.stderr.match(/The clock/gu)).toHaveLength(1);
      expect(begin('c', free).code).toBe(0);
      expect(as('d', 'task', 'take').answer.data.task.id).toBe(later);
      expect(as('d', 'task', 'set-status', '--id', later, '--status', 'pending').code).toBe(0);
      setBehind(-hours);
      const now = Date.now();
      for (const [id, agent] of [
        [taken, 'b'],
        [free, 'c'],
      ] as const) {
        expect(leaseOf(id)).toMatchObject({ agent, expired: false });
        expect(Date.parse(leaseOf(id).expires_at)).toBeGreaterThan(now + HOUR_MS / 4);
        expect(Date.parse(leaseOf(id).expires_at)).toBeLessThan(now + HOUR_MS);
        expect(begin('e', id).answer.error_code).toBe('E_CONFLICT');
      }
      expect(leaseOf(taken).expires_at >= before).toBe(true);
      const next = deed(['task', 'next'], { home: home.path });
      expect([next.envelope.data.task.id, next.stderr]).toEqual([later, '']);
      expect(as('b', 'task', 'complete', '--id', taken, '--outcome', 'done', '--summary', 's').code).toBe(0);
    });
  },
);

describe('a clock that is a year behind for one call', () => {
  const YEAR = 365 * 24;

  it('offers and takes what is free by the right time, and reads warn about it', () => {
    const task = create('abandoned');
    expect(as('b', 'task', 'begin', '--id', task, '--lease', '1m').code).toBe(0);
    const database = new DatabaseSync(join(home.path, 'deed.db'));
    database.exec("UPDATE tasks SET claim_expires_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 hours')");
    database.close();
    setBehind(YEAR);
    const next = deed(['task', 'next'], { home: home.path });
    expect([next.envelope.data.task.id, next.stderr]).toEqual([task, expect.stringContaining('is behind')]);
    expect(begin('c', task).code).toBe(0);
    setBehind(-YEAR);
    // The late write of the first holder is rejected, as after any lost claim.
    const late = as('b', 'task', 'set-status', '--id', task, '--status', 'pending');
    expect([late.answer.error_code, late.answer.error_context?.reason]).toEqual(['E_CONFLICT', 'claim-lost']);
  });

  it('stores memories and answers that do not end before the others see them', () => {
    push();
    setBehind(YEAR);
    as('a', 'memory', 'set', '--key', 'k', '--value', 'v', '--expires-in', '1d');
    push('--request-id', 'behind');
    const past = new Date(Date.now() + HOUR_MS).toISOString();
    const memories = JSON.stringify({ memories: [{ key: 'p', value: 'v', expires_at: past }] });
    expect(as('a', 'push', '--json', memories).answer.error_code).toBe('E_VALIDATION');
    setBehind(-YEAR);
    expect(read('memory', 'get', '--key', 'k').answer.data.value).toBe('v');
    expect(as('a', 'memory', 'gc').answer.data.deleted).toBe(0);
    expect(push('--request-id', 'behind').answer.data.replayed).toBe(true);
    const times = read('events', 'list', '--all').answer.data.events as { created_at: string }[];
    expect(times.every(({ created_at }) => Date.parse(created_at) > Date.now() - HOUR_MS)).toBe(true);
  });

  it('counts after twenty writes, which confirm it', () => {
    push();
    setBehind(YEAR);
    for (let count = 0; count < 20; count += 1) expect(push().stderr).toContain('is behind');
    expect(push().code).toBe(0);
    expect(push().stderr).toBe('');
  });
});
