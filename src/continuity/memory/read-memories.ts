import { Fault } from '../../base/fault.ts';
import type { Session } from '../database/database.ts';
import { listMemories, memoryHistory, plainMatch, searchPlainly } from '../database/queries/memories.ts';
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

/** Finds memories by words, best first; without an index of words, by the text as it is. */
export function findMemories(session: Session, search: MemorySearch, at: string): Promise<MemoryRow[]> {
  const words = search.words.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '');
  if (words.length === 0) {
    throw new Fault('E_VALIDATION', 'The search has no words.', {
      hint: 'Give at least one word of letters or digits.',
      details: { field: 'query' },
    });
  }
  const { fullText } = session;
  return session.all(
    (fullText?.search ?? searchPlainly)(
      search.scope !== undefined && 'scope',
      search.scopeId !== undefined && 'scope_id',
    ),
    {
      match: fullText?.match(words) ?? plainMatch(search.words.trim()),
      scope: search.scope ?? '',
      scope_id: search.scopeId ?? '',
      at,
      limit: search.limit,
      offset: search.offset,
    },
  );
}
