import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHome, deed, startDeed, waitFor } from '../fixtures/run-deed.ts';
import { vybeAsync } from '../fixtures/run-vybe.ts';
import { isOnPostgres } from '../fixtures/store-environment.ts';
import { LONG } from '../fixtures/start-node.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** An import prepares a thousand rows at a time. */
const EVENTS = LONG ? 200_000 : 4000;
const MEMORIES = LONG ? 10_000 : 200;
const MAX_WAIT_MS = 5000;
const MAX_RSS_MIB = 500;

let home: ReturnType<typeof createHome>;
let exports: ReturnType<typeof temporaryFolder>;
let file: string;
beforeAll(() => {
  exports = temporaryFolder('export');
  file = join(exports.path, 'export.ndjson');
  writeExport(file);
});
afterAll(() => exports.dispose());
beforeEach(() => (home = createHome()));
afterEach(() => home.dispose());

const options = () => ({ home: home.path, cwd: home.path });
const push = (id: string) =>
  vybeAsync(
    [
      'push',
      '--agent',
      'pusher',
      '--request-id',
      id,
      '--json',
      JSON.stringify({ event: { kind: 'progress', message: id } }),
    ],
    options(),
  );
const events = (where = 'true'): number => {
  const database = new DatabaseSync(join(home.path, 'deed.db'), { readOnly: true });
  const { total } = database.prepare(`SELECT count(*) AS total FROM events WHERE ${where}`).get() as {
    total: number;
  };
  database.close();
  return total;
};
const scratchFiles = (): string[] => readdirSync(home.path).filter((name) => name.includes('-import-'));

/** Starts an import and waits until it has opened the file in which it prepares its rows. */
async function startImport(): Promise<ChildProcess> {
  const { data } = deed(['store', 'import', '--from', file, '--dry-run'], options()).envelope;
  const argv = ['store', 'import', '--from', file, '--confirm', data.confirm_token as string];
  const child = startDeed(argv, options());
  while (child.exitCode === null && !openFiles(child).some((name) => name.includes('-import-')))
    await new Promise((resolve) => setTimeout(resolve, 2));
  return child;
}

function openFiles({ pid }: ChildProcess): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`));
  } catch {
    // A file was closed, or the process ended.
    return [];
  }
}

const peakMiB = ({ pid }: ChildProcess): number => {
  try {
    return Number(/VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
};

const TIMES = { created_at: '2026-03-01T08:00:00.000Z' };

/** Writes a complete export with events of an agent and memories. */
function writeExport(path: string): void {
  const rows = [
    ...Array.from({ length: EVENTS }, (_, index) => ({
      type: 'events',
      id: index + 1,
      kind: 'note',
      agent_name: 'ada',
      project_id: `p${index % 5}`,
      task_id: null,
      message: `note ${index}`,
      metadata: '{}',
      ...TIMES,
      archived_at: null,
    })),
    ...Array.from({ length: MEMORIES }, (_, index) => ({
      type: 'memories',
      id: index + 1,
      scope: 'global',
      scope_id: '',
      key: `key ${index}`,
      value: `kept ${index}`,
      value_type: 'string',
      kind: 'fact',
      pinned: 0,
      source_agent: 'ada',
      event_id: index + 1,
      ...TIMES,
      updated_at: TIMES.created_at,
      confirmed_at: TIMES.created_at,
      expires_at: null,
      superseded_at: null,
      superseded_by: null,
    })),
  ];
  const lines = [
    { type: 'store', format: 1, schema_version: 6, has_end: true },
    ...rows,
    { type: 'end', rows: rows.length },
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

describe.skipIf(isOnPostgres())('a large import', () => {
  it.each(['an empty store', 'a store with data'])(
    'into %s lets other processes write, and has all rows and all writes at its end',
    async (store) => {
      if (store === 'a store with data') await push('before');
      const child = await startImport();
      const ended = waitFor(child);
      let pushes = 0;
      let longestMs = 0;
      while (child.exitCode === null) {
        const startedAt = performance.now();
        expect(await push(`during-${(pushes += 1)}`)).toMatchObject({ code: 0 });
        longestMs = Math.max(longestMs, performance.now() - startedAt);
      }
      const { code, envelope } = await ended;
      expect([code, envelope.error]).toEqual([0, undefined]);
      expect(longestMs).toBeLessThan(MAX_WAIT_MS);
      expect([events("kind = 'note'"), events("agent_name = 'pusher'")]).toEqual([
        EVENTS,
        pushes + (store === 'a store with data' ? 1 : 0),
      ]);
      expect(deed(['store', 'check'], options()).envelope.data.sound).toBe(true);
      expect(deed(['memory', 'search', 'kept'], options()).envelope.data.items).not.toEqual([]);
      expect(scratchFiles()).toEqual([]);
    },
    120_000,
  );

  it('that is killed leaves nothing, at any moment, and can be repeated', async () => {
    await push('before');
    for (const afterMs of LONG ? [0, 200, 400, 800, 1600, 3200] : [0, 50]) {
      const child = await startImport();
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      expect([0, EVENTS]).toContain(events("kind = 'note'"));
      expect(scratchFiles()).toEqual([]);
    }
    expect(await push('after')).toMatchObject({ code: 0 });
    expect((await waitFor(await startImport())).code).toBe(0);
    expect([events("kind = 'note'"), events("agent_name = 'pusher'")]).toEqual([EVENTS, 2]);
  }, 120_000);

  it.runIf(LONG)(
    'needs little memory',
    async () => {
      await push('before');
      const child = await startImport();
      const ended = waitFor(child);
      let peak = 0;
      while (child.exitCode === null) {
        peak = Math.max(peak, peakMiB(child));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect((await ended).code).toBe(0);
      expect(peak).toBeLessThan(MAX_RSS_MIB);
    },
    120_000,
  );
});
