import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { addTotal, cutPage, PAGE_PARAMETERS, pageOf, readCursor } from '../../contract/paging.ts';
import { pageLimit } from '../command-settings.ts';

export default defineRead({
  path: 'receipt list',
  summary: 'List receipts in chain order, newest first',
  description: 'A line of the chain that cannot be read has the status "damaged".',
  params: {
    status: described(v.optional(v.pipe(v.string(), v.minLength(1))), 'Only receipts with this status'),
    ...PAGE_PARAMETERS,
  },
  output: pageOf(
    v.object({
      run_id: v.string(),
      receipt_id: v.string(),
      receipt_hash: v.string(),
      previous_receipt_hash: v.string(),
      run_hash: v.string(),
      status: v.string(),
      phase: v.string(),
      root: v.string(),
      work_item_hash: v.string(),
      before_hash: v.string(),
      after_hash: v.string(),
      timestamp_iso: v.string(),
    }),
  ),
  sort: 'position in the chain, descending',
  keyFields: ['run_id', 'status', 'timestamp_iso'],
  columns: ['run_id', 'status', 'phase', 'timestamp_iso'],
  examples: ['receipt list --limit 5', 'receipt list --status success --fields run_id,after_hash'],
  errors: ['E_DAMAGED'],
  run: async ({ status, limit, cursor }, context) => {
    const filters = { status };
    const page = { limit: pageLimit(context, limit), cursor };
    const after = readCursor(page, filters);
    const { listReceipts } = await import('../../work/receipt/list-receipts.ts');
    const rows = listReceipts(context.home.path, context.warn)
      .map((line, index) => ({ line, index }))
      .toReversed()
      .filter(({ line }) => status === undefined || line.status === status);
    const later = rows.filter(({ index }) => after === undefined || index < Number(after));
    const found = cutPage(later, page, filters, ({ index }) => String(index));
    const { items, ...rest } = await addTotal(found, page, () => rows.length);
    return { ...rest, items: items.map(({ line }) => line) };
  },
});
