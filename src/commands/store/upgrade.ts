import * as v from 'valibot';
import { int } from '../../base/schema.ts';
import { readStoreVersion } from '../../continuity/database/open-store.ts';
import { STORE_SCHEMA_VERSION } from '../../continuity/database/sqlite/migrations.ts';
import { defineWrite } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { databaseOf, locateStore } from '../../app/locate-store.ts';
import { openOptions, openWriter } from '../continuity/open-store.ts';

export default defineWrite({
  path: 'store upgrade',
  summary: 'Create the database, or migrate it to the current schema',
  params: STORE_PARAMETERS,
  output: v.object({
    migrated: v.boolean(),
    from_version: v.nullable(int()),
    schema_version: int(),
    path: v.string(),
    replayed: v.optional(v.literal(true)),
  }),
  examples: ['store upgrade --dry-run', 'store upgrade --confirm <token>'],
  errors: ['E_CONFLICT', 'E_DAMAGED', 'E_FORBIDDEN', 'E_CONFIG'],
  database: databaseOf,
  plan: async (store, context) => {
    const { path } = locateStore(store, context);
    const from = (await readStoreVersion(path, openOptions(context))) ?? null;
    return {
      changes: [
        {
          action: 'upgrade',
          resource: 'store',
          id: path,
          before: { schema_version: from },
          after: { schema_version: STORE_SCHEMA_VERSION },
          version: String(from),
        },
      ],
    };
  },
  run: async (store, context) => {
    const { path } = locateStore(store, context);
    const from = (await readStoreVersion(path, openOptions(context))) ?? null;
    const database = await openWriter(store, context);
    // A write creates the store, or migrates it.
    await database.transaction(async () => undefined);
    return {
      migrated: from !== STORE_SCHEMA_VERSION,
      from_version: from,
      schema_version: STORE_SCHEMA_VERSION,
      path,
    };
  },
});
