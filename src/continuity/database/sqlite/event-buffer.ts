import type { StatementSync } from 'node:sqlite';
import { EVENT_COLUMNS, insertEvent } from '../queries/events.ts';
import type { DigestedEvent, EventBuffer, QueryRunner } from '../database.ts';
import type { EventTable } from '../schema.ts';
import { copyDefinition, copyTable, type ScratchDatabase } from './scratch-database.ts';
import { sqliteFault } from './sqlite-fault.ts';

const NAMES = EVENT_COLUMNS.join(', ');
/** Statements block the thread, so signals and progress need breaks. */
const ROWS_PER_BREAK = 20_000;
/** From this number on, other processes may write many events while these are prepared, so numbers are left free for them. */
const MANY = 50_000;
const FREE_IDS = 100_000;

/** `here` is the id of the same event in the store, and `rank` the order of the others by time. */
const tablesIn = (schema: string): string => `
  CREATE TABLE ${schema}.incoming (position INTEGER PRIMARY KEY, their_id INTEGER, digest TEXT, here INTEGER, ${NAMES});
  CREATE TABLE ${schema}.ranked (rank INTEGER PRIMARY KEY, position INTEGER, their_id INTEGER)`;

/** Of several events with the same content, the first one that has no counterpart yet. */
const nextIn = (schema: string): string =>
  `SELECT position FROM ${schema}.incoming WHERE digest = ? AND here IS NULL ORDER BY position LIMIT 1`;

/** Buffers the events of an import. If the scratch database is not attached to a store, each event is inserted by a query. */
export class SqliteEventBuffer implements EventBuffer {
  readonly transaction: EventBuffer['transaction'];
  readonly #scratch: ScratchDatabase;
  readonly #isAttached: boolean;
  readonly #path: string;
  readonly #insert: StatementSync;
  #find: StatementSync | undefined;
  #findHere: StatementSync | undefined;
  #findRank: StatementSync | undefined;
  /** Positions of events that other processes have written since these were prepared. */
  readonly #late: number[] = [];
  #count = 0;
  /** One less than the id of the event with rank 1. */
  #first = 0;
  #idOfRank = (rank: number): number => this.#first + rank;

  constructor(scratch: ScratchDatabase, path: string, transaction: EventBuffer['transaction']) {
    this.transaction = transaction;
    this.#scratch = scratch;
    this.#isAttached = scratch.schema !== 'main';
    this.#path = path;
    scratch.connection.exec(tablesIn(scratch.schema));
    const values = EVENT_COLUMNS.map(() => '?').join(', ');
    this.#insert = this.#prepare(
      `INSERT INTO ${scratch.schema}.incoming (position, their_id, digest, ${NAMES}) VALUES (?, ?, ?, ${values})`,
    );
  }

  add(events: readonly DigestedEvent[]): void {
    this.#inBatch(() => {
      for (const { event, digest } of events)
        this.#insert.run(
          (this.#count += 1),
          event.id,
          digest,
          ...EVENT_COLUMNS.map((column) => event[column]),
        );
    });
  }

  match(events: readonly { readonly id: number; readonly digest: string }[]): number[] {
    const { connection, schema } = this.#scratch;
    if (this.#find === undefined) {
      this.#attempt(() =>
        connection.exec(`CREATE INDEX ${schema}.incoming_digest ON incoming (digest, position) WHERE here IS NULL;
          CREATE INDEX ${schema}.incoming_known ON incoming (their_id) WHERE here IS NOT NULL`),
      );
      this.#find = this.#prepare(
        `UPDATE ${schema}.incoming SET here = ? WHERE position = (${nextIn(schema)}) RETURNING position`,
      );
    }
    const positions = this.#inBatch(() =>
      events.flatMap(({ id, digest }) => {
        const found = this.#find?.get(id, digest);
        return found === undefined ? [] : [Number(found['position'])];
      }),
    );
    if (this.#findRank !== undefined) this.#late.push(...positions);
    return positions;
  }

  async prepare(onRows: (rows: number) => void): Promise<void> {
    const { connection, schema } = this.#scratch;
    this.#attempt(() =>
      connection.exec(`INSERT INTO ${schema}.ranked (position, their_id)
          SELECT position, their_id FROM ${schema}.incoming WHERE here IS NULL ORDER BY created_at, their_id, position;
        CREATE INDEX ${schema}.ranked_ids ON ranked (their_id)`),
    );
    this.#findRank = this.#prepare(`SELECT rank FROM ${schema}.ranked WHERE their_id = ?`);
    const total = this.#countRanked();
    if (!this.#isAttached || total === 0) return;
    const indexes = this.#attempt(() => copyDefinition(this.#scratch, 'events'));
    this.#first = this.#attempt(() => lastIdOf(this.#scratch)) + (total >= MANY ? FREE_IDS : 0);
    const copy = this.#prepare(`INSERT INTO ${schema}.events (id, ${NAMES})
      SELECT ? + rank, ${NAMES} FROM ${schema}.ranked JOIN ${schema}.incoming USING (position) WHERE rank > ? AND rank <= ?`);
    for (let rank = 0; rank < total; rank += ROWS_PER_BREAK) {
      this.#attempt(() => copy.run(this.#first, rank, rank + ROWS_PER_BREAK));
      onRows(Math.min(rank + ROWS_PER_BREAK, total));
      await new Promise(setImmediate);
    }
    for (const { sql } of indexes) {
      this.#attempt(() => connection.exec(sql));
      await new Promise(setImmediate);
    }
  }

  async insert(db: QueryRunner): Promise<void> {
    if (this.#late.length > 0)
      this.#attempt(() => forget(this.#scratch, this.#late, this.#isAttached ? this.#first : undefined));
    if (this.#countRanked() === 0) return;
    if (this.#isAttached) this.#attempt(() => (this.#first += insertAll(this.#scratch, this.#first)));
    else this.#idOfRank = await insertEach(this.#scratch.connection, db);
  }

  idOf(theirId: number): number | undefined {
    this.#findHere ??= this.#prepare(
      `SELECT here FROM ${this.#scratch.schema}.incoming WHERE their_id = ? AND here IS NOT NULL`,
    );
    const known = this.#findHere.get(theirId);
    if (known !== undefined) return Number(known['here']);
    const added = this.#findRank?.get(theirId);
    return added === undefined ? undefined : this.#idOfRank(Number(added['rank']));
  }

  close(): void {
    this.#scratch.connection.close();
  }

  #countRanked(): number {
    const { schema } = this.#scratch;
    return Number(this.#prepare(`SELECT count(*) AS total FROM ${schema}.ranked`).get()?.['total']);
  }

  #prepare(sql: string): StatementSync {
    return this.#attempt(() => this.#scratch.connection.prepare(sql));
  }

  #inBatch<T>(work: () => T): T {
    const { connection } = this.#scratch;
    return this.#attempt(() => {
      connection.exec('SAVEPOINT batch');
      const result = work();
      connection.exec('RELEASE batch');
      return result;
    });
  }

  #attempt<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw sqliteFault(error, this.#path);
    }
  }
}

function lastIdOf({ connection }: ScratchDatabase): number {
  return Number(connection.prepare('SELECT coalesce(max(id), 0) AS id FROM main.events').get()?.['id']);
}

/** Removes events that another process added to the store after these were prepared. */
function forget(
  { connection, schema }: ScratchDatabase,
  positions: readonly number[],
  first: number | undefined,
): void {
  connection.exec(`CREATE INDEX ${schema}.ranked_positions ON ranked (position)`);
  const remove = connection.prepare(`DELETE FROM ${schema}.ranked WHERE position = ? RETURNING rank`);
  const removeRow =
    first === undefined ? undefined : connection.prepare(`DELETE FROM ${schema}.events WHERE id = ?`);
  for (const position of positions) {
    const rank = Number(remove.get(position)?.['rank']);
    removeRow?.run(Number(first) + rank);
  }
}

/** Adds the prepared events after the last one of the store. Returns by how much their ids had to change. */
function insertAll(scratch: ScratchDatabase, first: number): number {
  const last = lastIdOf(scratch);
  if (last <= first) {
    copyTable(scratch, 'events');
    return 0;
  }
  scratch.connection
    .prepare(
      `INSERT INTO main.events (id, ${NAMES}) SELECT id + ?, ${NAMES} FROM ${scratch.schema}.events ORDER BY id`,
    )
    .run(last - first);
  return last - first;
}

/** Adds the events one by one, for a database that gives them their numbers; only one page of them is in memory. */
async function insertEach(
  connection: ScratchDatabase['connection'],
  db: QueryRunner,
): Promise<(rank: number) => number> {
  const page = connection.prepare(
    `SELECT rank, ${NAMES} FROM ranked JOIN incoming USING (position) WHERE rank > ? ORDER BY rank LIMIT ${ROWS_PER_BREAK}`,
  );
  const ids: number[] = [];
  for (let rank = 0; ;) {
    const rows = page.all(rank) as unknown as (Omit<EventTable, 'id'> & { rank: number })[];
    for (const { rank: at, ...event } of rows) {
      ids[at] = (await db.first(insertEvent, event))?.id as number;
      rank = at;
    }
    if (rows.length < ROWS_PER_BREAK) return (at) => ids[at] as number;
  }
}
