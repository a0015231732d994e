import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { entryId } from './entry-id.ts';
import type { Call } from './pg-boss-call.ts';
import type { DocumentKind, SharedDocuments } from './shared-documents.ts';

/** An entry expires this time after it was written, not after it could first be taken. */
export const FROM_NOW = { startAfter: 1 };

/** Documents as entries of queues that no process takes from: they expire, and are readable by the hosts of the fleet only. */
export function createDocuments(
  boss: PgBoss,
  call: Call,
  ensure: (name: string) => Promise<string>,
): SharedDocuments {
  const queueOf = (kind: DocumentKind): Promise<string> => ensure(`deed.${kind}`);
  return {
    put: ({ kind, group, name }, value, keepSeconds) =>
      call(async () => {
        const queue = await queueOf(kind);
        const data = storable(value);
        const options = {
          id: entryId('document', kind, group, name),
          retentionSeconds: keepSeconds,
          ...FROM_NOW,
        };
        if ((await boss.update(queue, data, options)).updated > 0) return;
        // Another process may have inserted it meanwhile; then nothing is inserted here.
        const inserted = await boss.insert(queue, [{ ...options, singletonKey: group, data }], {
          returnId: true,
        });
        if (inserted === null || inserted.length === 0) await boss.update(queue, data, options);
      }),
    read: (kind, group) =>
      call(async () => {
        const found = await boss.findJobs<unknown>(await queueOf(kind), {
          queued: true,
          ...(group !== undefined && { key: group }),
        });
        return unexpired(found)
          .toSorted((left, right) => left.createdOn.getTime() - right.createdOn.getTime())
          .map(({ data }) => data);
      }),
    remove: (kind, group) =>
      call(async () => {
        const name = await queueOf(kind);
        const found = await boss.findJobs(name, { key: group });
        if (found.length > 0)
          await boss.deleteJob(
            name,
            found.map(({ id }) => id),
          );
      }),
  };
}

/** The database removes expired entries once a day. */
export function unexpired<T>(entries: readonly JobWithMetadata<T>[]): readonly JobWithMetadata<T>[] {
  return entries.filter(({ keepUntil }) => keepUntil.getTime() > Date.now());
}

/** The database stores no NUL characters and no halves of surrogate pairs. */
function storable(value: object): object {
  const text = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'string' ? each.replaceAll('\0', '\uFFFD').toWellFormed() : each,
  );
  return JSON.parse(text) as object;
}
