import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { assertEmpty } from '../../continuity/store/import-store.ts';
import { importFrom } from '../../continuity/store/store-files.ts';
import { defineWrite } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { databaseOf, locateStore } from '../../app/locate-store.ts';
import { reportRows } from '../continuity/report-rows.ts';
import { openWriter, withReader } from '../continuity/open-store.ts';
import { pathText } from '../continuity/text-parameters.ts';

export default defineWrite({
  path: 'store import',
  summary: 'Import an export into an empty store',
  params: { from: described(pathText, 'A file written by "store export"'), ...STORE_PARAMETERS },
  output: v.object({ path: v.string(), rows: int(), replayed: v.optional(v.literal(true)) }),
  examples: [
    'store import --from deed.ndjson --db-path new.db --dry-run',
    'store import --from deed.ndjson --db-path new.db --confirm <token>',
  ],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_DAMAGED', 'E_FORBIDDEN'],
  database: databaseOf,
  plan: async ({ from, ...store }, context) => {
    const source = resolve(context.system.cwd, from);
    if (!existsSync(source)) {
      throw new Fault('E_NOT_FOUND', `The file ${source} does not exist.`, {
        hint: 'Pass a file written by "store export".',
        details: { field: 'from', path: source },
      });
    }
    await withReader(store, context, assertEmpty);
    const { size, mtimeMs } = statSync(source);
    const { path } = locateStore(store, context);
    return {
      changes: [
        { action: 'import', resource: 'store', id: path, after: { source }, version: `${size} ${mtimeMs}` },
      ],
    };
  },
  run: async ({ from, ...store }, context) => {
    const database = openWriter(store, context);
    const rows = await importFrom(
      database,
      resolve(context.system.cwd, from),
      reportRows(context, 'imported'),
    );
    return { path: database.path, rows };
  },
});
