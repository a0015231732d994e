import { estimateTokens } from '../brief/estimate-tokens.ts';
import type { QueryRunner } from '../database/database.ts';
import { countDeltas, listDeltas, newestDeltas } from '../database/queries/events.ts';
import { showEvent, type Event, type EventRow } from '../events/event.ts';

/** The events that an agent has not seen: some of them, and how many there are. */
export interface Unread {
  readonly deltas: Event[];
  readonly cursor: number;
  readonly total: number;
  /** The number of unread events that are not in `deltas`, with their first and last id. Events of the brief are counted too. */
  readonly omitted: { count: number; first_event_id: string; last_event_id: string } | undefined;
}

/** The newest events are read in one step; older ones would not fit anyway. */
const NEWEST = 200;

/** Reads the next events after a position, oldest first, so that repeated calls skip none. */
export async function readNextEvents(
  db: QueryRunner,
  since: number,
  projectId: string | undefined,
  limit: number,
): Promise<Unread> {
  const rows = await merge(projectId, (filter) =>
    db.all(listDeltas(filter), { since, project_id: projectId ?? '', limit }),
  );
  const page = rows.sort((left, right) => left.id - right.id).slice(0, limit);
  const cursor = page.at(-1)?.id ?? since;
  const rest = await count(db, cursor, projectId);
  return {
    deltas: page.map(showEvent),
    cursor,
    total: page.length + rest.total,
    omitted: rangeOf(rest.total, rest.first, rest.last),
  };
}

/** Reads the newest events after a position that the brief does not contain, newest last, within a budget. */
export async function readNewest(
  db: QueryRunner,
  since: number,
  projectId: string | undefined,
  { budgetTokens, known }: { readonly budgetTokens: number; readonly known: ReadonlySet<string> },
): Promise<Unread> {
  const all = await count(db, since, projectId);
  const rows = await merge(projectId, (filter) =>
    db.all(newestDeltas(filter), { since, project_id: projectId ?? '', limit: NEWEST }),
  );
  const deltas: Event[] = [];
  const omitted: number[] = [];
  let tokens = 0;
  for (const row of rows.sort((left, right) => right.id - left.id).slice(0, NEWEST)) {
    const event = showEvent(row);
    const cost = known.has(event.id) ? Number.POSITIVE_INFINITY : estimateTokens(JSON.stringify(event));
    if (tokens + cost > budgetTokens) omitted.push(row.id);
    else {
      deltas.unshift(event);
      tokens += cost;
    }
  }
  const isFirstShown = all.first !== null && deltas.some(({ id }) => id === String(all.first));
  return {
    deltas,
    cursor: all.last ?? since,
    total: all.total,
    omitted: rangeOf(
      all.total - deltas.length,
      isFirstShown ? (omitted.at(-1) ?? all.first) : all.first,
      omitted[0] ?? all.last,
    ),
  };
}

interface DeltaCount {
  readonly total: number;
  readonly first: number | null;
  readonly last: number | null;
}

/** The deltas of a project are its events and those without a project. */
async function merge(
  projectId: string | undefined,
  read: (filter: 'project' | 'unassigned' | false) => Promise<EventRow[]>,
): Promise<EventRow[]> {
  if (projectId === undefined) return read(false);
  return [...(await read('project')), ...(await read('unassigned'))];
}

async function count(db: QueryRunner, since: number, projectId: string | undefined): Promise<DeltaCount> {
  const read = async (filter: 'project' | 'unassigned' | false): Promise<DeltaCount> =>
    (await db.first(countDeltas(filter), { since, project_id: projectId ?? '' })) ?? NONE;
  if (projectId === undefined) return read(false);
  const [own, common] = [await read('project'), await read('unassigned')];
  const ids = (pick: (found: DeltaCount) => number | null): number[] =>
    [pick(own), pick(common)].filter((id) => id !== null);
  const [firsts, lasts] = [ids(({ first }) => first), ids(({ last }) => last)];
  return {
    total: own.total + common.total,
    first: firsts.length === 0 ? null : Math.min(...firsts),
    last: lasts.length === 0 ? null : Math.max(...lasts),
  };
}

const NONE: DeltaCount = { total: 0, first: null, last: null };

function rangeOf(total: number, first: number | null, last: number | null): Unread['omitted'] {
  if (total === 0) return undefined;
  return { count: total, first_event_id: String(first), last_event_id: String(last) };
}
