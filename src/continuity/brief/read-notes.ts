import type { QueryRunner } from '../database/database.ts';
import { findMemory, listDirectives } from '../database/queries/memories.ts';
import type { MemoryLocation, MemoryRow, MemoryScope } from '../memory/memory.ts';
import { byPrecedence } from '../memory/precedence.ts';
import { readMemories } from '../memory/read-memories.ts';
import type { Viewpoint } from '../memory/search/search-memories.ts';
import type { Note } from './brief.ts';

export interface BriefNotes {
  /** Directives of people and pinned notes. */
  readonly standing: Note[];
  /** The other notes, those that fit best first. */
  readonly fitting: Note[];
}

/** Longer values are shown by the parts that fit best. */
const NOTE_CHARACTERS = 600;
const PER_SCOPE = 20;
const MAX_DIRECTIVES = 40;

/** Reads the notes that an agent may see, ranked by how well they fit a text. Of notes with the same key, only one is shown. */
export async function readNotes(
  db: QueryRunner,
  viewpoint: Viewpoint,
  text: string,
  at: string,
): Promise<BriefNotes> {
  const { agent, projectId, taskId } = viewpoint;
  const scopes: [MemoryScope, string | undefined][] = [
    ['task', taskId],
    ['project', projectId],
    ['agent', agent],
    ['global', ''],
  ];
  const newest: MemoryRow[] = [];
  const longScopes: Place[] = [];
  for (const [scope, scope_id] of scopes) {
    if (scope_id === undefined) continue;
    const read = await readMemories(db, { scope, scope_id }, at, PER_SCOPE);
    if (read.length === PER_SCOPE) longScopes.push({ scope, scope_id });
    newest.push(...read);
  }
  if (newest.length === 0) return { standing: [], fitting: [] };
  const viewer = { agent, project_id: projectId ?? '', task_id: taskId ?? '' };
  const directives =
    longScopes.length === 0 ? [] : await db.all(listDirectives, { ...viewer, at, limit: MAX_DIRECTIVES });
  // Loaded only if there is something to search in.
  const { findRelevant } = await import('../memory/search/search-memories.ts');
  const relevant = await findRelevant(db, text, viewpoint, at);
  const parts = new Map(relevant.map(({ note, parts: fitting }) => [note.id, fitting]));
  const found = byId([...relevant.map(({ note }) => note), ...newest, ...directives]);
  const rows = [...found, ...(await readSameKeys(db, found, longScopes, at))];
  const shown = overrideSameKeys(rows).map(({ row, overridden }) =>
    toNote(row, parts.get(row.id), overridden),
  );
  const isStanding = ({ kind, pinned }: Note): boolean => kind === 'directive' || pinned;
  return {
    standing: shown.filter(isStanding).sort(byPrecedence),
    fitting: shown.filter((note) => !isStanding(note)),
  };
}

type Place = Omit<MemoryLocation, 'key'>;

/** Reads what scopes contain under the keys of notes, however old it is: it may have precedence. */
async function readSameKeys(
  db: QueryRunner,
  rows: readonly MemoryRow[],
  scopes: readonly Place[],
  at: string,
): Promise<MemoryRow[]> {
  const known = new Set(rows.map(({ id }) => id));
  const others: MemoryRow[] = [];
  for (const key of new Set(rows.map((row) => row.key)))
    for (const place of scopes) {
      const row = await db.first(findMemory, { ...place, key });
      const isCurrent = row !== undefined && (row.expires_at === null || row.expires_at > at);
      if (isCurrent && !known.has(row.id)) others.push(row);
    }
  return others;
}

function byId(rows: readonly MemoryRow[]): MemoryRow[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** Groups notes by key: a directive comes before a decision, a decision before others, a narrower scope before a wider one. */
function overrideSameKeys(rows: readonly MemoryRow[]): { row: MemoryRow; overridden: MemoryRow[] }[] {
  const groups = Map.groupBy(rows, ({ key }) => key);
  return [...groups.values()].map((group) => {
    const [row, ...others] = group.toSorted(byPrecedence) as [MemoryRow, ...MemoryRow[]];
    return { row, overridden: others.filter(({ value }) => value !== row.value) };
  });
}

function toNote(
  row: MemoryRow,
  parts: readonly string[] | undefined,
  overridden: readonly MemoryRow[],
): Note {
  return {
    key: row.key,
    value: shortValue(row.value, parts ?? []),
    kind: row.kind,
    scope: row.scope,
    ...(row.scope_id !== '' && { scope_id: row.scope_id }),
    pinned: row.pinned === 1,
    source_agent: row.source_agent,
    updated_at: row.updated_at,
    confirmed_at: row.confirmed_at,
    ...(overridden.length > 0 && {
      overrides: overridden.slice(0, 3).map(({ scope, scope_id, value }) => ({
        scope,
        ...(scope_id !== '' && { scope_id }),
        value: shortValue(value, [], 120),
      })),
    }),
  };
}

/** The whole value if it is short, otherwise its best parts, or its beginning. */
function shortValue(value: string, parts: readonly string[], length = NOTE_CHARACTERS): string {
  if (value.length <= length) return value;
  const fitting: string[] = [];
  let used = 0;
  for (const part of parts) {
    if (used + part.length > length) break;
    fitting.push(part);
    used += part.length;
  }
  const text = fitting.length === 0 ? (parts[0] ?? value) : fitting.join(' … ');
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/u, '')} …`;
}
