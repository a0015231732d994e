import { entryId } from './entry-id.ts';
import { FROM_NOW, readUnexpired, type EntryOptions } from './pg-boss-entries.ts';
import type { DocumentKind, SharedDocuments } from './shared-documents.ts';

/** Documents as entries of queues that no process takes from: they expire, and are readable by the hosts of the fleet only. */
export function createDocuments({ boss, call, ensure, statements }: EntryOptions): SharedDocuments {
  const queueOf = (kind: DocumentKind): Promise<string> => ensure(`deed.${kind}`);
  return {
    put: ({ kind, group, name }, value, keepSeconds, expected = 'stored') =>
      call(async () => {
        const queue = await queueOf(kind);
        const data = storable(value);
        const options = {
          id: entryId('document', kind, group, name),
          retentionSeconds: keepSeconds,
          ...FROM_NOW,
        };
        if (expected === 'stored' && (await boss.update(queue, data, options)).updated > 0) return;
        // It may exist, or another process may have inserted it meanwhile; then nothing is inserted here.
        const inserted = await boss.insert(queue, [{ ...options, singletonKey: group, data }], {
          returnId: true,
        });
        if (inserted === null || inserted.length === 0) await boss.update(queue, data, options);
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
