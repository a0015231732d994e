import { resolve } from 'node:path';
import * as v from 'valibot';
import { databaseOf, locateStore } from '../../app/locate-store.ts';
import { Fault } from '../../base/fault.ts';
import { described, int } from '../../base/schema.ts';
import { mayBeStore, openStore, readStore } from '../../continuity/database/open-store.ts';
import { assertNoPassword, isPostgresUrl } from '../../continuity/database/store-address.ts';
import { copyStoreRows } from '../../continuity/store/copy-store-rows.ts';
import { isEmptyStore } from '../../continuity/store/import-store.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { openOptions, withReader } from '../continuity/open-store.ts';
import { reportRows } from '../continuity/report-rows.ts';
import { pathText } from '../continuity/text-parameters.ts';

export default defineWrite({
  path: 'store copy',
  summary: 'Copy the store into an empty store, on Postgres or in a file',
  description:
    'Copies all rows with their ids, completely or not at all. Other processes can keep writing to the source; what they write after the start is not copied',
  params: {
    to: described(pathText, 'postgres://user@host/database, or a file'),
    ...STORE_PARAMETERS,
  },
  output: v.object({
    from: v.string(),
    to: v.string(),
    rows: int(),
    replayed: v.optional(v.literal(true)),
  }),
  examples: [
    'store copy --to postgres://deed@db.example.com/deed --dry-run',
    'store copy --to copy.db --confirm <token>',
  ],
  errors: [
    'E_NOT_FOUND',
    'E_CONFLICT',
    'E_AUTH',
    'E_CONFIG',
    'E_DAMAGED',
    'E_FORBIDDEN',
    'E_NETWORK',
    'E_TIMEOUT',
  ],
  database: databaseOf,
  plan: async ({ to, ...store }, context) => {
    const [from, target] = [locateStore(store, context).path, targetOf(to, context)];
    if (!mayBeStore(from))
      throw new Fault('E_NOT_FOUND', `The database ${from} does not exist.`, {
        hint: 'The first write creates it.',
        details: { path: from },
      });
    await assertEmpty(target, context);
    return { changes: [{ action: 'copy', resource: 'store', id: target, after: { source: from } }] };
  },
  run: async ({ to, ...store }, context) => {
    const target = targetOf(to, context);
    const copy = await openStore(target, openOptions(context));
    try {
      return await withReader(store, context, async (source) => ({
        from: source.path,
        to: target,
        rows: await copyStoreRows(source, copy, reportRows(context, 'imported')),
      }));
    } finally {
      copy.close();
    }
  },
});

function targetOf(to: string, { system }: CommandContext): string {
  if (!isPostgresUrl(to)) return resolve(system.cwd, to);
  assertNoPassword(to);
  return to;
}

async function assertEmpty(target: string, context: CommandContext): Promise<void> {
  if (!mayBeStore(target) || (await readStore(target, openOptions(context), isEmptyStore))) return;
  throw new Fault('E_CONFLICT', `The store ${target} is not empty.`, {
    hint: 'Use "store export" and "store import", which merges two stores.',
    details: { field: 'to', path: target, reason: 'not-empty' },
  });
}
