import { Fault } from '../../base/fault.ts';
import type { Session } from '../database/database.ts';
import { listMemories, memoryHistory, searchMemories } from '../database/queries/memories.ts';
import { fullTextWords } from '../database/sqlite/full-text.ts';
import type { MemoryPlace, MemoryRow } from './memory.ts';

export interface MemoryPlaceAfter {
  readonly pinned: number;
  readonly updated_at: string;
  readonly id: number;
}

/** Reads what is in force in one scope, pinned first, then the newest. */
export function readMemories(
  session: Session,
  place: Omit<MemoryPlace, 'key'>,
  at: string,
  limit: number,
  after?: MemoryPlaceAfter,
): Promise<MemoryRow[]> {
  return session.all(listMemories(after !== undefined && 'after'), {
    ...place,
    at,
    after_pinned: after?.pinned ?? 0,
    after_updated_at: after?.updated_at ?? '',
    after_id: after?.id ?? 0,
    limit,
  });
}

/** Reads all that was ever remembered under a key, newest first. */
export function readHistory(session: Session, place: MemoryPlace, limit: number): Promise<MemoryRow[]> {
  return session.all(memoryHistory, { ...place, limit });
}

export interface MemorySearch {
  readonly words: string;
  readonly scope?: string | undefined;
  readonly scopeId?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Finds memories by words, best first. */
export function findMemories(session: Session, search: MemorySearch, at: string): Promise<MemoryRow[]> {
  const indexed = session.capabilities.fullTextSearch;
  const match = indexed ? fullTextWords(search.words) : search.words;
  if (match === '') {
    throw new Fault('E_VALIDATION', 'The search has no words.', {
      hint: 'Give at least one word of letters or digits.',
      details: { field: 'query' },
    });
  }
  return session.all(
    searchMemories(
      search.scope !== undefined && 'scope',
      search.scopeId !== undefined && 'scope_id',
      !indexed && 'plain',
    ),
    {
      match,
      scope: search.scope ?? '',
      scope_id: search.scopeId ?? '',
      at,
      limit: search.limit,
      offset: search.offset,
    },
  );
}
