import { statSync } from 'node:fs';
import * as v from 'valibot';
import { int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { isPostgresUrl } from '../../continuity/database/store-address.ts';
import { defineWrite } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { databaseOf, locateStore } from '../../app/locate-store.ts';
import { openWriter } from '../continuity/open-store.ts';

export default defineWrite({
  path: 'store vacuum',
  summary: 'Rebuild the database file to reclaim the space of deleted rows',
  description:
    'Rewrites the database file, which needs as much free disk space as its content; other processes wait until it is done. New rows use the space of deleted ones anyway, so this is only needed to return it to the disk',
  params: STORE_PARAMETERS,
  output: v.object({
    path: v.string(),
    size_before: int(),
    size_bytes: int(),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['store vacuum --dry-run', 'store vacuum --confirm <token>'],
  errors: ['E_NOT_FOUND', 'E_CONFIG', 'E_TIMEOUT', 'E_DAMAGED', 'E_FORBIDDEN'],
  database: databaseOf,
  plan: async (store, context) => {
    const { path } = locateStore(store, context);
    assertFile(path);
    return {
      changes: [{ action: 'vacuum', resource: 'store', id: path, before: { size_bytes: sizeOf(path) } }],
    };
  },
  run: async (store, context) => {
    const located = locateStore(store, context).path;
    assertFile(located);
    const size_before = sizeOf(located);
    const { path, vacuum } = await openWriter(store, context);
    if (vacuum === undefined) throw managesItself(path);
    context.progress(`Rewriting ${path} (${Math.ceil(size_before / 1024 ** 2)} MB).`);
    await vacuum();
    return { path, size_before, size_bytes: sizeOf(path) };
  },
});

function assertFile(path: string): void {
  if (isPostgresUrl(path)) throw managesItself(path);
}

function managesItself(path: string): Fault {
  return new Fault('E_CONFIG', `Cannot vacuum ${path}: a store on Postgres manages its own space.`, {
    hint: 'Postgres reuses the space of deleted rows by itself.',
    details: { path },
  });
}

function sizeOf(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0) return size;
  throw new Fault('E_NOT_FOUND', `There is no database at ${path}.`, {
    hint: 'It is created by the first write.',
    details: { path },
  });
}
