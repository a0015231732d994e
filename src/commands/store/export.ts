import { resolve } from 'node:path';
import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { parseTimeArgument } from '../../continuity/memory/duration.ts';
import { exportTo } from '../../continuity/store/store-files.ts';
import { databaseOf } from '../../app/locate-store.ts';
import { defineWrite } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { planNewFile } from '../continuity/plan-new-file.ts';
import { reportRows } from '../continuity/report-rows.ts';
import { withReader } from '../continuity/open-store.ts';
import { pathText } from '../continuity/text-parameters.ts';

export default defineWrite({
  path: 'store export',
  summary: 'Export the store to a new file, one JSON object per line',
  params: {
    to: described(pathText, 'The new file'),
    since: described(
      v.optional(v.string()),
      'Only what was written after this event id, or from this time on, for example 2026-01-31T12:00:00Z',
    ),
    ...STORE_PARAMETERS,
  },
  output: v.object({ path: v.string(), rows: int(), replayed: v.optional(v.literal(true)) }),
  examples: [
    'store export --to deed.ndjson --dry-run',
    'store export --to deed.ndjson --since 120 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_DAMAGED', 'E_FORBIDDEN'],
  database: databaseOf,
  plan: async ({ since, ...params }, context) => {
    parseSince(since);
    return planNewFile('export', params, context);
  },
  run: async ({ to, since, ...store }, context) => {
    const path = resolve(context.system.cwd, to);
    const onRows = reportRows(context, 'exported');
    const rows = await withReader(store, context, (database) =>
      exportTo(database, path, { onRows, since: parseSince(since) }),
    );
    return { path, rows };
  },
});

function parseSince(since: string | undefined): string | undefined {
  return since === undefined || /^\d{1,15}$/u.test(since) ? since : parseTimeArgument(since, 'since');
}
