import type { QueryResultRow } from 'pg';
import { canonicalJson } from '../../../base/json.ts';
import type { PlannedRead } from '../database.ts';
import type { AnyQuery } from '../query.ts';

/** Results that were read ahead. Each is used once, so that a repeated read sees what the transaction has written since. */
export interface PlannedReads {
  readonly add: (read: PlannedRead, rows: readonly QueryResultRow[]) => void;
  readonly take: (query: AnyQuery, values: unknown) => readonly QueryResultRow[] | undefined;
}

export function createPlannedReads(): PlannedReads {
  const known = new Map<string, readonly QueryResultRow[]>();
  const keyOf = (query: AnyQuery, values: unknown): string => `${query.name} ${canonicalJson(values)}`;
  return {
    add: ([query, values], rows) => {
      known.set(keyOf(query, values), rows);
    },
    take: (query, values) => {
      if (known.size === 0) return undefined;
      const key = keyOf(query, values);
      const rows = known.get(key);
      known.delete(key);
      return rows;
    },
  };
}
