import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import {
  countMatching,
  countReady,
  readReady,
  readTasks,
  type TaskPosition,
} from '../../continuity/tasks/read-tasks.ts';
import { showTask, TASK_STATUSES } from '../../continuity/tasks/task.ts';
import { defineRead } from '../../contract/command.ts';
import { addTotal, cutPage, PAGE_PARAMETERS, pageOf, readCursor } from '../../contract/paging.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { withReader } from '../continuity/open-store.ts';
import { projectParameter } from '../continuity/store-parameters.ts';
import { taskSchema, TASK_TEXT, textOf } from '../continuity/store-schemas.ts';
import { pageLimit } from '../command-settings.ts';

export default defineRead({
  path: 'task list',
  summary: 'List tasks, highest priority first',
  params: {
    status: described(v.optional(v.picklist(TASK_STATUSES)), 'Only tasks with this status'),
    project_id: projectParameter,
    priority: described(v.optional(int()), 'Only tasks with this priority'),
    ready: described(v.optional(v.boolean(), false), 'Only tasks that can be started now'),
    ...PAGE_PARAMETERS,
    ...STORE_PARAMETERS,
  },
  output: pageOf(taskSchema),
  sort: 'priority descending, created_at, id',
  untrusted: textOf('items[]', TASK_TEXT),
  keyFields: ['id', 'title', 'status'],
  columns: ['id', 'title', 'status', 'priority', 'updated_at'],
  examples: ['task list --ready --limit 5', 'task list --status blocked --fields id,title,blocked_reason'],
  errors: ['E_DAMAGED'],
  run: ({ status, project_id, priority, ready, limit, cursor, ...store }, context) =>
    withReader(store, context, async (session, at) => {
      const filters = { status, project_id, priority, ready };
      const page = { limit: pageLimit(context, limit), cursor };
      const position = readCursor(page, filters);
      const after = position === undefined ? undefined : (JSON.parse(position) as TaskPosition);
      const query = { status, projectId: project_id, priority, after, limit: page.limit + 1 };
      const rows = ready
        ? (await readReady(session, query, at)).filter((row) => status === undefined || row.status === status)
        : await readTasks(session, query);
      const found = cutPage(rows, page, filters, (row) =>
        JSON.stringify({ priority: row.priority, created_at: row.created_at, id: row.id }),
      );
      const { items, ...rest } = await addTotal(found, page, () =>
        ready ? countReady(session, query, at) : countMatching(session, query),
      );
      return { ...rest, items: await Promise.all(items.map((row) => showTask(session, row, at))) };
    }),
});
