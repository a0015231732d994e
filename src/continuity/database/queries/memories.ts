import type { Kysely, Selectable, SelectQueryBuilder } from 'kysely';
import { define, defineShapes, valuesOf, type Query, type Slot } from '../query.ts';
import type { MemoryTable, Tables } from '../schema.ts';

interface MemoryKey {
  readonly scope: string;
  readonly scope_id: string;
  readonly key: string;
}

/** The current memory of a key; it may have expired. */
export const findMemory = define<MemoryKey>('findMemory')((db, value) =>
  db
    .selectFrom('memories')
    .selectAll()
    .where('scope', '=', value('scope'))
    .where('scope_id', '=', value('scope_id'))
    .where('key', '=', value('key'))
    .where('superseded_at', 'is', null),
);

const INSERTED = [
  'scope',
  'scope_id',
  'key',
  'value',
  'value_type',
  'kind',
  'pinned',
  'source_agent',
  'event_id',
  'created_at',
  'updated_at',
  'confirmed_at',
  'expires_at',
  'superseded_at',
] as const;

/** Inserts a version of a memory; the version that replaced it is named later, when its id is known. */
export const insertMemory = define<Pick<MemoryTable, (typeof INSERTED)[number]>>('insertMemory')(
  (db, value) =>
    db
      .insertInto('memories')
      .values({ ...valuesOf(value, INSERTED), superseded_by: null })
      .returning('id'),
);

/** Marks a memory as superseded; it stays in the history of its key. */
export const supersedeMemory = define<{ id: number; at: string }>('supersedeMemory')((db, value) =>
  db
    .updateTable('memories')
    .set({ superseded_at: value('at') })
    .where('id', '=', value('id')),
);

/** Records in a superseded memory which memory replaced it: the new id is known only after the old memory was superseded. */
export const linkSuperseded = define<{ id: number; by: number }>('linkSuperseded')((db, value) =>
  db
    .updateTable('memories')
    .set({ superseded_by: value('by') })
    .where('id', '=', value('id')),
);

/** Confirms a memory: the same value was stored again. */
export const confirmMemory = define<{ id: number; at: string; expires_at: string | null }>('confirmMemory')(
  (db, value) =>
    db
      .updateTable('memories')
      .set({ confirmed_at: value('at'), expires_at: value('expires_at') })
      .where('id', '=', value('id')),
);

interface MemoryPage {
  readonly scope: string;
  readonly scope_id: string;
  readonly at: string;
  readonly after_pinned: number;
  readonly after_updated_at: string;
  readonly after_id: number;
  readonly limit: number;
}

/** Current memories of one scope: pinned first, then the newest. */
export const listMemories = defineShapes<'after', MemoryPage>('listMemories')((db, value, has) => {
  let query = db
    .selectFrom('memories')
    .selectAll()
    .where('scope', '=', value('scope'))
    .where('scope_id', '=', value('scope_id'))
    .where('superseded_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', value('at'))]));
  if (has('after')) {
    query = query.where((eb) =>
      eb.or([
        eb('pinned', '<', value('after_pinned')),
        eb.and([
          eb('pinned', '=', value('after_pinned')),
          eb.or([
            eb('updated_at', '<', value('after_updated_at')),
            eb.and([eb('updated_at', '=', value('after_updated_at')), eb('id', '<', value('after_id'))]),
          ]),
        ]),
      ]),
    );
  }
  return query
    .orderBy('pinned', 'desc')
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(value('limit'));
});

export const memoryHistory = define<MemoryKey & { limit: number }>('memoryHistory')((db, value) =>
  db
    .selectFrom('memories')
    .selectAll()
    .where('scope', '=', value('scope'))
    .where('scope_id', '=', value('scope_id'))
    .where('key', '=', value('key'))
    .orderBy('id', 'desc')
    .limit(value('limit')),
);

/** `visible`: only memories that an agent in a project and a task may see. `newest`: newest first, instead of best first. */
export type SearchFilter = 'scope' | 'scope_id' | 'visible' | 'newest';

export interface SearchValues {
  readonly match: string;
  readonly scope: string;
  readonly scope_id: string;
  readonly agent: string;
  readonly project_id: string;
  readonly task_id: string;
  readonly at: string;
  readonly limit: number;
  readonly offset: number;
}

/** Current memories that match. */
export type SearchMemories = (
  ...filters: readonly (SearchFilter | false)[]
) => Query<SearchValues, Selectable<MemoryTable>>;

type CurrentMemories = SelectQueryBuilder<Tables, 'memories', Selectable<MemoryTable>>;

/** The part that all memory searches share. */
export function selectCurrent(
  db: Kysely<Tables>,
  value: Slot<SearchValues>,
  has: (filter: SearchFilter) => boolean,
): CurrentMemories {
  let query = selectValid(db, value);
  if (has('scope')) query = query.where('scope', '=', value('scope'));
  if (has('scope_id')) query = query.where('scope_id', '=', value('scope_id'));
  return has('visible') ? onlyVisible(query, value) : query;
}

function selectValid(db: Kysely<Tables>, value: Slot<{ at: string }>): CurrentMemories {
  return db
    .selectFrom('memories')
    .selectAll('memories')
    .where('superseded_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', value('at'))]));
}

type Viewer = Pick<SearchValues, 'agent' | 'project_id' | 'task_id'>;

function onlyVisible(query: CurrentMemories, value: Slot<Viewer>): CurrentMemories {
  return query.where((eb) =>
    eb.or([
      eb.and([eb('scope', '=', 'global'), eb('scope_id', '=', '')]),
      eb.and([eb('scope', '=', 'project'), eb('scope_id', '=', value('project_id'))]),
      eb.and([eb('scope', '=', 'task'), eb('scope_id', '=', value('task_id'))]),
      eb.and([eb('scope', '=', 'agent'), eb('scope_id', '=', value('agent'))]),
    ]),
  );
}

/** The directives that an agent may see, the last confirmed first. */
export const listDirectives = define<Viewer & { at: string; limit: number }>('listDirectives')(
  (db, value, { literal }) =>
    onlyVisible(selectValid(db, value), value)
      .where('kind', '=', literal('directive'))
      .orderBy('confirmed_at', 'desc')
      .orderBy('memories.id', 'desc')
      .limit(value('limit')),
);

/** Search for databases without a full-text index: memories that contain the literal text, newest first. */
export const searchByText: SearchMemories = defineShapes<SearchFilter, SearchValues>('searchByText')(
  (db, value, has, { contains }) =>
    selectCurrent(db, value, has)
      .where((eb) =>
        eb.or([contains(eb.ref('key'), value('match')), contains(eb.ref('value'), value('match'))]),
      )
      .orderBy('updated_at', 'desc')
      .orderBy('memories.id')
      .limit(value('limit'))
      .offset(value('offset')),
);

/** Escapes the wildcards of LIKE, so that `searchByText` matches the text literally. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[%_!]/gu, '!$&');
}

export const listExpired = define<{ since: string; at: string; limit: number }>('listExpired')((db, value) =>
  db
    .selectFrom('memories')
    .select(['id', 'scope', 'scope_id', 'key'])
    .where('expires_at', 'is not', null)
    .where('expires_at', '<=', value('at'))
    .where('superseded_at', 'is', null)
    .where('updated_at', '>=', value('since'))
    .orderBy('expires_at')
    .orderBy('id')
    .limit(value('limit')),
);

export const deleteMemory = define<{ id: number }>('deleteMemory')((db, value) =>
  db.deleteFrom('memories').where('id', '=', value('id')),
);

export const countMemories = define('countMemories')((db) =>
  db
    .selectFrom('memories')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('superseded_at', 'is', null),
);
