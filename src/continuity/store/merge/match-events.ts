import { sha256 } from '../../../system/digest.ts';
import type { QueryRunner } from '../../database/database.ts';
import type { EventRow } from '../../events/event.ts';
import type { OnImport } from './on-import.ts';
import { readTable } from './read-table.ts';

const ROWS_PER_REPORT = 1000;

/**
 * Finds the events that this store does not have. Ids are numbers of one machine, so events are compared by their content. If an event
 * occurs several times on both sides, each occurrence matches one occurrence of the other side. Reading a large store takes seconds, so it
 * can be done before the transaction of the import: `follow` then reads only newer events. Events do not change, and an event that was
 * deleted meanwhile was old.
 */
export class EventMatcher {
  /** The ids here of events that this store has, by their ids in the other store. */
  readonly ids = new Map<number, number>();
  readonly #wanted = new Map<string, EventRow[]>();
  #last = 0;
  #missing: EventRow[] | undefined;

  constructor(events: readonly EventRow[]) {
    for (const event of events) {
      const content = contentOf(event);
      const same = this.#wanted.get(content);
      if (same === undefined) this.#wanted.set(content, [event]);
      else same.push(event);
    }
  }

  /** Reads the events of this store since the last call. */
  async follow(db: QueryRunner, onRows: OnImport = () => undefined): Promise<void> {
    let rows = 0;
    for await (const row of readTable<EventRow>(db, 'events', { id: this.#last })) {
      this.#last = row.id;
      const match = this.#wanted.get(contentOf(row))?.shift();
      if (match !== undefined) this.ids.set(match.id, row.id);
      rows += 1;
      if (rows % ROWS_PER_REPORT === 0) onRows(rows, 'compared');
    }
  }

  /** The events that this store does not have, in the order of their time. */
  missing(): readonly EventRow[] {
    this.#missing ??= [...this.#wanted.values()]
      .flat()
      .sort((left, right) => compareText(left.created_at, right.created_at) || left.id - right.id);
    return (this.#missing = this.#missing.filter(({ id }) => !this.ids.has(id)));
  }
}

function contentOf(event: EventRow): string {
  const { kind, agent_name, project_id, task_id, message, metadata, created_at } = event;
  return sha256(JSON.stringify([kind, agent_name, project_id, task_id, message, metadata, created_at]));
}

/** Compares by code units, as the database does. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
