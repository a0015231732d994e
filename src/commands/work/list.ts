import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { addTotal, cutPage, PAGE_PARAMETERS, pageOf, readCursor } from '../../contract/paging.ts';
import { describeRunOrDamage, type RunRow } from '../../work/run/describe-run.ts';
import { readOpenIfKnown } from '../../work/run/open-runs.ts';
import { listIds } from '../../work/run/run-folder.ts';
import { pageLimit } from '../command-settings.ts';
import { jobId } from './work-ids.ts';
import { RUN_LINE } from './work-schemas.ts';

const STATUSES = [
  'running',
  'ready',
  'waiting',
  'lost',
  'success',
  'failure',
  'denied',
  'timeout',
  'rolled_back',
  'damaged',
] as const;
/** The states of runs that have not ended. */
const OPEN: ReadonlySet<string | undefined> = new Set(['running', 'ready', 'waiting', 'lost']);

export default defineRead({
  path: 'work list',
  summary: 'List runs, newest first',
  description:
    'A run with the status "ready" succeeded and is promoted when its level is complete. A run with the status "damaged" has a file that cannot be read; "work show" names it.',
  params: {
    status: described(v.optional(v.picklist(STATUSES)), 'Only runs with this status'),
    job: jobId(described(v.optional(v.string()), 'Only runs of this job')),
    ...PAGE_PARAMETERS,
  },
  output: pageOf(v.object(RUN_LINE)),
  sort: 'run_id descending',
  keyFields: ['run_id', 'item_id', 'status', 'job_id'],
  columns: ['run_id', 'item_id', 'status', 'agent_id', 'files', 'at'],
  examples: ['work list --limit 5', 'work list --status waiting --fields run_id,item_id'],
  errors: ['E_DAMAGED'],
  run: async ({ status, job, limit, cursor }, context) => {
    const filters = { status, job };
    const page = { limit: pageLimit(context, limit), cursor };
    const after = readCursor(page, filters);
    const { path: home } = context.home;
    const ids = (OPEN.has(status) ? readOpenIfKnown(home) : undefined) ?? listIds(home, 'run');
    const rows: RunRow[] = [];
    for (const id of ids) {
      if (after !== undefined && id >= after) continue;
      if (rows.length > page.limit) break;
      const row = describeRunOrDamage(home, id);
      if (row === undefined || (status !== undefined && row.status !== status)) continue;
      if (job === undefined || row.job_id === job) rows.push(row);
    }
    const found = cutPage(rows, page, filters, ({ run_id }) => run_id);
    // With a filter every run would have to be read.
    const isFiltered = status !== undefined || job !== undefined;
    const isAll = after === undefined && !found.has_more;
    return isFiltered && !isAll ? found : addTotal(found, page, () => ids.length);
  },
  renderRaw: ({ items }) => items.map(({ run_id }) => `${run_id}\n`).join(''),
});
