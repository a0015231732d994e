import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillLargeStore } from '../../bench/fill-large-home.ts';
import { ensurePrivateFolder } from '../../src/system/private-folder.ts';
import { BUSY_DAY, fillDay } from '../fixtures/busy-home.ts';
import { confirmed, createHome, deed, type Envelope } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

let home: ReturnType<typeof createHome>;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.dispose());

const DAY = {
  ...BUSY_DAY,
  events: 50,
  memoryChanges: 40,
  auditLines: 20,
  runs: 1,
  treeEntries: 100,
  sessions: 2,
};
const at = (...segments: string[]): string => join(home.path, ...segments);
const folder = (...segments: string[]): string => {
  ensurePrivateFolder(at(...segments));
  return at(...segments);
};
const options = () => ({ home: home.path, env: { HOME: home.path } });
const read = (...argv: string[]): Envelope => deed(argv, options()).envelope;
const write = (...argv: string[]): Envelope => confirmed(argv, options()).envelope;

interface Part {
  readonly part: string;
  readonly rule: string;
  readonly removed: number;
  readonly problem: string | null;
}

const PARTS = ['audit', 'store', 'store_backups', 'runs', 'work', 'accounting'];
const FOLDERS = ['sessions', 'requests', 'consumed', 'loop', 'triage'];

describe('gc', () => {
  it('lists every part with its size and rule, and removes what is old after a confirmation', async () => {
    for (const time of ['2024-01-10T12:00:00Z', '2024-02-10T12:00:00Z'])
      await fillDay({ path: home.path, at, folder }, DAY, Date.parse(time));
    await fillDay({ path: home.path, at, folder }, DAY, Date.now());
    const { data } = read('gc', '--dry-run');
    const changes = data.preview.changes as { resource: string; before: object; after: Part }[];
    expect(changes.map(({ resource }) => resource)).toEqual([...PARTS, ...FOLDERS]);
    for (const { before, after } of changes) {
      expect(before).toEqual({ size_bytes: expect.any(Number) });
      expect(after).toMatchObject({ rule: expect.stringMatching(/\w{3}/u), problem: null });
    }
    expect(readdirSync(at('sessions'))).toHaveLength(6);
    const parts = write('gc').data.parts as Part[];
    const removed = Object.fromEntries(parts.map(({ part, removed }) => [part, removed]));
    const shown = Object.fromEntries(changes.map(({ resource, after }) => [resource, after.removed]));
    // The confirmation itself removes marks of used tokens.
    expect({ ...removed, consumed: null }).toEqual({ ...shown, consumed: null });
    expect(removed).toMatchObject({ audit: 2, sessions: 4 });
    expect(removed['store']).toBeGreaterThan(100);
    expect(removed['runs']).toBeGreaterThan(4);
    expect(readdirSync(at('sessions'))).toHaveLength(2);
    expect(
      readdirSync(at('consumed')).filter((name) => Number(name.split('-')[0]) < Date.parse('2025-01-01')),
    ).toEqual([]);
    expect(read('receipt', 'verify').data).toEqual({ checked: 3, valid: true });
    expect(read('audit', 'verify').data).toMatchObject({ valid: true });
    expect(read('store', 'check').data).toMatchObject({ sound: true });
  });

  it('does not follow a link in the home', () => {
    const outside = mkdtempSync(join(tmpdir(), 'deed-outside-'));
    const file = join(outside, 'mine.txt');
    writeFileSync(file, 'mine');
    utimesSync(file, 1, 1);
    rmSync(at('sessions'), { recursive: true, force: true });
    symlinkSync(outside, at('sessions'));
    const parts = write('gc').error?.details.parts as Part[];
    expect(parts.find(({ part }) => part === 'sessions')?.problem).toContain('symbolic link');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    rmSync(outside, { recursive: true });
  });

  it('cleans the other parts if one is damaged, and fails with the damage', async () => {
    for (const time of ['2024-01-10T12:00:00Z', '2024-02-10T12:00:00Z'])
      await fillDay({ path: home.path, at, folder }, DAY, Date.parse(time));
    await fillDay({ path: home.path, at, folder }, DAY, Date.now());
    const log = 'audit-2024-01.jsonl';
    appendFileSync(at('audit', log), '{"seq":999}\n');
    const { error } = write('gc');
    expect(error).toMatchObject({
      code: 'E_DAMAGED',
      message: expect.stringContaining('Not cleaned: audit'),
    });
    const parts = error?.details.parts as Part[];
    const audit = parts.find(({ part }) => part === 'audit');
    expect(audit).toMatchObject({ removed: 0, problem: expect.stringContaining('altered') });
    expect(readdirSync(at('sessions'))).toHaveLength(2);
  });

  it('is part of doctor, which shows the size of each part', () => {
    write('config', 'set', 'list.limit', '20');
    const checks = read('doctor').data.checks as { check: string; status: string; message: string }[];
    const retention = checks.find(({ check }) => check === 'retention');
    expect(retention).toMatchObject({ status: 'pass', message: expect.stringMatching(/audit \d+\.\d MB/u) });
  });
});

describe('a large store', () => {
  it.runIf(LONG)('is sampled by doctor, and read completely by store check with progress', () => {
    fillLargeStore(at('deed.db'), 80_000, 10);
    const checks = read('doctor').data.checks as { check: string; message: string }[];
    const store = checks.find(({ check }) => check === 'store');
    expect(store?.message).toContain('"deed store check" reads all of it');
    const full = deed(['store', 'check'], options());
    expect(full.envelope.data).toMatchObject({ sound: true });
    expect(full.stderr).toMatch(/Checking table \d+ of \d+: events\./u);
    const quick = deed(['store', 'check', '--quick', '--quiet'], options());
    expect([quick.envelope.ok, quick.stderr]).toEqual([true, '']);
  });

  it('finds an index that does not match its table only without --quick', () => {
    fillLargeStore(at('deed.db'), 1000, 10);
    const database = new DatabaseSync(at('deed.db'), { defensive: false });
    database.exec('PRAGMA writable_schema = ON');
    // The index is declared on another column than the one that its entries have.
    database.exec(
      "UPDATE sqlite_schema SET sql = replace(sql, '(kind, id)', '(agent_name, id)') WHERE name = 'events_kind'",
    );
    database.close();
    expect(read('store', 'check', '--quick').ok).toBe(true);
    expect(read('store', 'check').error).toMatchObject({ code: 'E_DAMAGED' });
  });

  it('exports in the order of its keys across pages, and imports to the same bytes', () => {
    fillLargeStore(at('deed.db'), 5000, 2500);
    expect(write('store', 'export', '--to', at('one.ndjson')).data).toMatchObject({ rows: 7500 });
    const copy = ['--db-path', at('copy.db')];
    expect(write('store', 'import', '--from', at('one.ndjson'), ...copy).data).toMatchObject({ rows: 7500 });
    write('store', 'export', '--to', at('two.ndjson'), ...copy);
    expect(readFileSync(at('two.ndjson')).equals(readFileSync(at('one.ndjson')))).toBe(true);
    expect(read('events', 'list', '--all', '--kind', 'rare_kind', ...copy).data.items).toHaveLength(1);
  });

  it('finds memories by a rare word among thousands with a common one, without repeating any on later pages', () => {
    fillLargeStore(at('deed.db'), 10, 6000);
    const search = (...argv: string[]): { items: { key: string }[]; next_cursor: string | null } =>
      read('memory', 'search', '--query', 'service deploys 4321', ...argv).data;
    const first = search('--limit', '300');
    expect(first.items[0]?.key).toBe('note 4321');
    const second = search('--limit', '300', '--cursor', String(first.next_cursor));
    const keys = [...first.items, ...second.items].map(({ key }) => key);
    expect([keys.length, new Set(keys).size]).toEqual([600, 600]);
  });

  it('shrinks by store vacuum after rows were deleted', () => {
    fillLargeStore(at('deed.db'), 20_000, 10);
    const database = new DatabaseSync(at('deed.db'));
    database.exec('DELETE FROM events WHERE id < 19000');
    database.close();
    const { size_before, size_bytes } = write('store', 'vacuum').data;
    expect(size_bytes).toBeLessThan(size_before / 2);
    expect(statSync(at('deed.db')).size).toBe(size_bytes);
  });
});
