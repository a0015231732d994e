import * as v from 'valibot';
import { described, int, number } from '../../../base/schema.ts';
import { defineRead } from '../../../contract/command.ts';
import { addTotal, cutPage, PAGE_PARAMETERS, pageOf, readCursor } from '../../../contract/paging.ts';
import { pageLimit } from '../../command-settings.ts';

const STATUSES = ['running', 'waiting', 'interrupted', 'succeeded', 'failed', 'damaged'] as const;

export default defineRead({
  path: 'agent sessions list',
  summary: 'List the stored sessions of agents, most recently changed first',
  description:
    'A session that is waiting needs the approval of a person. One that is interrupted or failed continues with "agent run --resume <id>". Sessions are kept for 30 days and 256 MiB; retention.sessions_days and retention.sessions_bytes change that',
  params: {
    status: described(v.optional(v.picklist(STATUSES)), 'Only sessions with this status'),
    ...PAGE_PARAMETERS,
  },
  get output() {
    return pageOf(
      v.object({
        id: v.string(),
        status: v.picklist(STATUSES),
        agent: v.nullable(v.string()),
        cwd: v.nullable(v.string()),
        task: v.nullable(v.string()),
        updated_at: v.string(),
        turns: int(),
        tokens: int(),
        cost_usd: number(),
        bytes: int(),
      }),
    );
  },
  untrusted: ['items[].task'],
  columns: ['id', 'status', 'task', 'turns', 'tokens', 'cost_usd', 'updated_at'],
  sort: 'updated_at descending, id descending',
  examples: ['agent sessions list', 'agent sessions list --status interrupted --fields id'],
  run: async ({ status, limit, cursor }, context) => {
    const { describeTask, listStoredSessions } = await import('../../../app/agent/stored-sessions.ts');
    const filters = { status };
    const page = { limit: pageLimit(context, limit), cursor };
    const after = readCursor(page, filters);
    const keyOf = (line: { updated_at: string; id: string }): string => `${line.updated_at} ${line.id}`;
    const rows = listStoredSessions(context).filter((line) => status === undefined || line.status === status);
    const later = rows.filter((line) => after === undefined || keyOf(line) < after);
    const shown = await addTotal(cutPage(later, page, filters, keyOf), page, () => rows.length);
    // Read only for the sessions of this page, because the task is in the file of each session.
    const items = await Promise.all(
      shown.items.map(async ({ id, status: each, ...line }) => ({
        id,
        status: each,
        ...(await describeTask(id, context)),
        ...line,
      })),
    );
    return { ...shown, items };
  },
  renderRaw: ({ items }) => items.map(({ id }) => `${id}\n`).join(''),
});
