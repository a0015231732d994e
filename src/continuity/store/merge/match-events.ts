import { sha256 } from '../../../system/digest.ts';
import type { QueryRunner } from '../../database/database.ts';
import type { EventRow } from '../../events/event.ts';
import type { MergeCounter } from './merge-report.ts';
import { readTable } from './read-table.ts';

export interface MatchedEvents {
  /** Events that this store does not have, in the order of their time. */
  readonly inserts: readonly EventRow[];
  /** The ids here of events that this store has, by their ids in the other store. */
  readonly ids: Map<number, number>;
}

/**
 * Finds the events that this store does not have. Ids are numbers of one machine, so events are compared by their content. If an event
 * occurs several times on both sides, each occurrence matches one occurrence of the other side.
 */
export async function matchEvents(
  db: QueryRunner,
  events: readonly EventRow[],
  counter: MergeCounter,
): Promise<MatchedEvents> {
  const wanted = new Map<string, EventRow[]>();
  for (const event of events) {
    const content = contentOf(event);
    wanted.set(content, [...(wanted.get(content) ?? []), event]);
  }
  const ids = new Map<number, number>();
  for await (const row of readTable<EventRow>(db, 'events')) {
    const match = wanted.get(contentOf(row))?.shift();
    if (match !== undefined) ids.set(match.id, row.id);
  }
  const inserts = [...wanted.values()]
    .flat()
    .sort((left, right) => compareText(left.created_at, right.created_at) || left.id - right.id);
  counter.imported.events += inserts.length;
  counter.unchanged.events += ids.size;
  return { inserts, ids };
}

function contentOf(event: EventRow): string {
  const { kind, agent_name, project_id, task_id, message, metadata, created_at } = event;
  return sha256(JSON.stringify([kind, agent_name, project_id, task_id, message, metadata, created_at]));
}

/** Compares by code units, as the database does. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
