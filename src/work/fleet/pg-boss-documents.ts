import { entryId } from './entry-id.ts';
import { putEntry, readUnexpired, type EntryOptions } from './pg-boss-entries.ts';
import type { DocumentKind, SharedDocuments } from './shared-documents.ts';

/** Documents as entries of queues that no process takes from: they expire, and are readable by the hosts of the fleet only. */
export function createDocuments({ boss, call, ensure, statements }: EntryOptions): SharedDocuments {
  const queueOf = (kind: DocumentKind): Promise<string> => ensure(`deed.${kind}`);
  return {
    put: ({ kind, group, name }, value, keepSeconds, expected = 'stored') =>
      call(async () => {
        const place = { id: entryId('document', kind, group, name), key: group, keepSeconds, expected };
        await putEntry(boss, await queueOf(kind), storable(value), place);
      }),
    read: (kind, group) => call(async () => readUnexpired(boss, statements, await queueOf(kind), group)),
    remove: (kind, group, matches = () => true) =>
      call(async () => {
        const name = await queueOf(kind);
        const found = (await boss.findJobs<unknown>(name, { key: group })).filter(({ data }) =>
          matches(data),
        );
        if (found.length > 0)
          await boss.deleteJob(
            name,
            found.map(({ id }) => id),
          );
      }),
  };
}

/** The database stores no NUL characters and no halves of surrogate pairs. */
function storable(value: object): object {
  const text = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'string' ? each.replaceAll('\0', '\uFFFD').toWellFormed() : each,
  );
  return JSON.parse(text) as object;
}
