/** The last write of this process to each file, while one is under way. */
const writes = new Map<string, Promise<unknown>>();

/**
 * Lets one connection of this process write to a file at a time. SQLite waits for another writer without giving the thread back, so a
 * second connection here would keep the first from ever going on.
 */
export async function onlyWriter<T>(path: string, work: () => Promise<T>): Promise<T> {
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
