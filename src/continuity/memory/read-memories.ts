import { Fault } from '../../base/fault.ts';
import type { Session } from '../database/database.ts';
import { listMemories, memoryHistory, escapeLike, searchByText } from '../database/queries/memories.ts';
import type { MemoryLocation, MemoryRow } from './memory.ts';

export interface MemoryPosition {
  readonly pinned: number;
  readonly updated_at: string;
  readonly id: number;
}

/** Reads the current memories of one scope, pinned first, then the newest. */
export function readMemories(
  session: Session,
  scope: Omit<MemoryLocation, 'key'>,
  at: string,
  limit: number,
  after?: MemoryPosition,
): Promise<MemoryRow[]> {
  return session.all(listMemories(after !== undefined && 'after'), {
    ...scope,
    at,
    after_pinned: after?.pinned ?? 0,
    after_updated_at: after?.updated_at ?? '',
    after_id: after?.id ?? 0,
    limit,
  });
}

/** Reads all memories of a key, including superseded ones, newest first. */
export function readHistory(session: Session, location: MemoryLocation, limit: number): Promise<MemoryRow[]> {
  return session.all(memoryHistory, { ...location, limit });
}

export interface MemorySearch {
  readonly words: string;
  readonly scope?: string | undefined;
  readonly scopeId?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Searches memories by words, best first; without a full-text index, by literal text. */
export function findMemories(session: Session, search: MemorySearch, at: string): Promise<MemoryRow[]> {
  const words = search.words.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '');
  if (words.length === 0) {
    throw new Fault('E_VALIDATION', 'The search query contains no words.', {
      hint: 'Pass at least one word of letters or digits.',
      details: { field: 'query' },
    });
  }
  const { fullText } = session;
  return session.all(
    (fullText?.search ?? searchByText)(
      search.scope !== undefined && 'scope',
      search.scopeId !== undefined && 'scope_id',
    ),
    {
      match: fullText?.match(words) ?? escapeLike(search.words.trim()),
      scope: search.scope ?? '',
      scope_id: search.scopeId ?? '',
      at,
      limit: search.limit,
      offset: search.offset,
    },
  );
}
