import type { QueryResult } from 'pg';

/**
 * Waits for statements that were sent together, so that they take one round trip. Waits for all of them even if one fails: the connection
 * must not be reused before, and the error of the first one is the cause of the others.
 */
export async function waitForAll(sent: readonly Promise<QueryResult>[]): Promise<QueryResult[]> {
  const results = await Promise.allSettled(sent);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
