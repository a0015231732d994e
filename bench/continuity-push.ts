import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createTail, randomHex } from '../src/base/ids.ts';
import { openSqlite } from '../src/continuity/database/sqlite/open-sqlite.ts';
import { writeOnce } from '../src/continuity/idempotency.ts';
import { applyPush } from '../src/continuity/push/apply-push.ts';
import { measure, medianOf, ratioOf } from './measure.ts';
import type { Report } from './report.ts';

const BATCH = 500;
const RAW = 'one insert with node:sqlite';
const PUSH = 'one push: lookup, event and answer in one transaction';

/** Measures a push relative to a plain insert, with the same pragmas and one transaction each. */
export async function continuityPush(): Promise<readonly Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-bench-'));
  const database = openSqlite(join(folder, 'deed.db'));
  const raw = new DatabaseSync(join(folder, 'raw.db'));
  try {
    raw.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000');
    raw.exec(
      'CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT, agent TEXT, message TEXT, metadata TEXT, at TEXT)',
    );
    const insert = raw.prepare(
      'INSERT INTO events (kind, agent, message, metadata, at) VALUES (?, ?, ?, ?, ?)',
    );
    const ports = { now: Date.now, randomHex, createTail, describeFile: () => Promise.resolve(undefined) };
    let count = 0;
    const push = async (): Promise<void> => {
      const event = { kind: 'progress', message: `step ${(count += 1)} of many` };
      const key = {
        agent: 'bench',
        requestId: `bench_${count}`,
        command: 'push',
        params: { event },
        onPayloadMismatch: 'replay',
      } as const;
      await writeOnce(database, key, ports, (scope) =>
        applyPush(scope, { event, memories: [], artifacts: [] }),
      );
    };
    const times = await measure(
      [
        {
          name: RAW,
          run: () => {
            for (let index = 0; index < BATCH; index += 1)
              insert.run('progress', 'bench', `step ${index} of many`, '{}', '2026-01-01T00:00:00.000Z');
          },
        },
        {
          name: PUSH,
          run: async () => {
            for (let index = 0; index < BATCH; index += 1) await push();
          },
        },
      ],
      15,
    );
    const rows = [RAW, PUSH].map((name) => ({
      name,
      milliseconds: medianOf(times, name) / BATCH,
      ratio: ratioOf(times, name, RAW),
    }));
    return [
      {
        title: 'Push, in process',
        note: `Ratio to \`${RAW}\`; 4 is a quarter of its rate. Batches of ${BATCH}, 15 interleaved rounds.`,
        rows: rows.map((row) => (row.name === PUSH ? { ...row, target: 4 } : row)),
      },
    ];
  } finally {
    raw.close();
    database.close();
    rmSync(folder, { recursive: true });
  }
}
