/** The database as far as notices need it. */
interface Engine {
  readonly schema: string;
  readonly connections: {
    readonly executeSql: (text: string, values: unknown[]) => Promise<unknown>;
    readonly subscribe: (channel: string, onMessage: (message: string) => void) => () => void;
  };
}

/** Tells the processes of a queue that it may have an entry for them. */
export async function announceReady({ schema, connections }: Engine, queue: string): Promise<void> {
  await connections.executeSql('SELECT pg_notify($1, $2)', [schema, queue]);
}

/** The same notice as a subquery that another statement can join; it has one row. Contract: the names need no quotes. */
export function readyNotice(schema: string, queue: string): string {
  return `(SELECT pg_notify('${schema}', '${queue}')) AS notice`;
}

/** Calls back when a queue may have an entry; until the returned function is called. */
export function listenForReady(
  { schema, connections }: Engine,
  queue: string,
  listener: () => void,
): () => void {
  return connections.subscribe(schema, (message) => {
    if (message === queue) listener();
  });
}
