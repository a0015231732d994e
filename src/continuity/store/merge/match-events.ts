import { sha256 } from '../../../system/digest.ts';
import type { EventBuffer, QueryRunner } from '../../database/database.ts';
import type { EventRow } from '../../events/event.ts';
import type { OnImport } from './on-import.ts';
import { readTable } from './read-table.ts';

const ROWS_PER_BATCH = 2000;
const ROWS_PER_REPORT = 1000;
/** 128 bits, so that two contents of a store never have the same. */
const DIGEST_CHARACTERS = 32;

/** The kinds of events by which tasks and dependencies are merged. */
const DECISIVE: ReadonlySet<string> = new Set([
  'task_status',
  'task_priority',
  'task_edited',
  'task_deleted',
  'task_dependency_removed',
]);

/** What a merge of tasks and dependencies reads of an event. */
export type DecisiveEvent = Pick<EventRow, 'id' | 'kind' | 'task_id' | 'metadata' | 'created_at'>;

/**
 * Finds the events that this store does not have. Ids are numbers of one machine, so events are compared by their content. If an event
 * occurs several times on both sides, each occurrence matches one occurrence of the other side. Reading a large store takes seconds, so it
 * is done before the transaction of the import: `follow` then reads only newer events. Events do not change, and an event that was
 * deleted meanwhile was old. The events are on disk; only those that decide about tasks are in memory.
 */
export class EventMatcher {
  readonly buffer: EventBuffer;
  /** By position in the source. */
  readonly #decisive = new Map<number, DecisiveEvent>();
  readonly #known = new Set<number>();
  #batch: EventRow[] = [];
  #added = 0;
  #matched = 0;
  #last = 0;

  constructor(buffer: EventBuffer) {
    this.buffer = buffer;
  }

  /** Adds an event of the source. */
  add(event: EventRow): void {
    this.#added += 1;
    const { id, kind, task_id, metadata, created_at } = event;
    if (DECISIVE.has(kind)) this.#decisive.set(this.#added, { id, kind, task_id, metadata, created_at });
    this.#batch.push(event);
    if (this.#batch.length >= ROWS_PER_BATCH) this.#flush();
  }

  /** Reads the events of this store since the last call. */
  async follow(db: QueryRunner, onRows: OnImport = () => undefined): Promise<void> {
    this.#flush();
    if (this.#added === 0) return;
    let [rows, page]: [number, EventRow[]] = [0, []];
    for await (const row of readTable<EventRow>(db, 'events', { id: this.#last })) {
      this.#last = row.id;
      page.push(row);
      if (page.length >= ROWS_PER_BATCH) page = this.#match(page);
      rows += 1;
      if (rows % ROWS_PER_REPORT === 0) onRows(rows, 'compared');
    }
    this.#match(page);
  }

  /** The number of events that this store does not have. */
  get missing(): number {
    return this.#added - this.#matched;
  }

  /** The number of events that this store has. */
  get matched(): number {
    return this.#matched;
  }

  /** The decisive events of the source. */
  log(): DecisiveEvent[] {
    return [...this.#decisive.values()];
  }

  /** The decisive events that this store does not have, in the order of their time. */
  newLog(): DecisiveEvent[] {
    return [...this.#decisive]
      .flatMap(([position, event]) => (this.#known.has(position) ? [] : [event]))
      .sort((left, right) => compareText(left.created_at, right.created_at) || left.id - right.id);
  }

  #flush(): void {
    this.buffer.add(this.#batch.map((event) => ({ event, digest: digestOf(event) })));
    this.#batch = [];
  }

  #match(page: readonly EventRow[]): [] {
    const positions = this.buffer.match(page.map((event) => ({ id: event.id, digest: digestOf(event) })));
    this.#matched += positions.length;
    for (const position of positions) if (this.#decisive.has(position)) this.#known.add(position);
    return [];
  }
}

function digestOf(event: EventRow): string {
  const { kind, agent_name, project_id, task_id, message, metadata, created_at } = event;
  const content = [kind, agent_name, project_id, task_id, message, metadata, created_at];
  return sha256(JSON.stringify(content)).slice(0, DIGEST_CHARACTERS);
}

/** Compares by code units, as the database does. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
