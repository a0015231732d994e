import { resolve } from 'node:path';
import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { backupTo } from '../../continuity/store/store-files.ts';
import { databaseOf } from '../../app/locate-store.ts';
import { defineWrite } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { planNewFile } from '../continuity/plan-new-file.ts';
import { withReader } from '../continuity/open-store.ts';
import { pathText } from '../continuity/text-parameters.ts';

export default defineWrite({
  path: 'store backup',
  summary: 'Copy the database to a new file; other processes can keep writing',
  params: { to: described(pathText, 'The new file'), ...STORE_PARAMETERS },
  output: v.object({ path: v.string(), size_bytes: int(), replayed: v.optional(v.literal(true)) }),
  examples: [
    'store backup --to deed-backup.db --dry-run',
    'store backup --to deed-backup.db --confirm <token>',
  ],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_DAMAGED', 'E_FORBIDDEN'],
  database: databaseOf,
  plan: async (params, context) => planNewFile('backup', params, context),
  run: async ({ to, ...store }, context) => {
    const path = resolve(context.system.cwd, to);
    return { path, size_bytes: await withReader(store, context, (database) => backupTo(database, path)) };
  },
});
