/** The last pending write of this process, by file. */
const writes = new Map<string, Promise<unknown>>();

/**
 * Allows one write to a file at a time within this process. SQLite blocks the thread while it waits for another writer, so a second
 * connection in this process would deadlock with the first.
 */
export async function serializeWrite<T>(path: string, work: () => Promise<T>): Promise<T> {
  const before = writes.get(path);
  const turn = before === undefined ? work() : before.then(work);
  const settled = turn.then(
    () => undefined,
    () => undefined,
  );
  writes.set(path, settled);
  try {
    return await turn;
  } finally {
    if (writes.get(path) === settled) writes.delete(path);
  }
}
