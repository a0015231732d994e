import { countArtifactsOf, readArtifacts } from '../../continuity/artifacts/artifact.ts';
import { checkArtifact } from '../../continuity/artifacts/check-artifact.ts';
import { findTask } from '../../continuity/database/queries/tasks.ts';
import { requireKnownTask } from '../../continuity/tasks/task.ts';
import { defineRead } from '../../contract/command.ts';
import { addTotal, cutPage, PAGE_PARAMETERS, pageOf, readCursor } from '../../contract/paging.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { storePorts, withReader } from '../continuity/open-store.ts';
import { idParameter } from '../continuity/store-parameters.ts';
import { artifactSchema, textOf } from '../continuity/store-schemas.ts';
import { pageLimit } from '../command-settings.ts';

export default defineRead({
  path: 'artifacts list',
  summary: 'List the artifacts of a task, newest first',
  description:
    'List the artifacts of a task, newest first. The state says whether a file has changed or is missing since it was recorded',
  params: { task_id: idParameter, ...PAGE_PARAMETERS, ...STORE_PARAMETERS },
  output: pageOf(artifactSchema),
  columns: ['file_path', 'state', 'size_bytes', 'created_at'],
  sort: 'event_id descending, id descending',
  untrusted: textOf('items[]', ['file_path', 'content_type']),
  examples: ['artifacts list --task-id task_6a2x74g0k3m9p'],
  errors: ['E_NOT_FOUND', 'E_DAMAGED'],
  run: ({ task_id, limit, cursor, ...store }, context) =>
    withReader(store, context, async (session) => {
      await requireKnownTask(session, task_id);
      const page = { limit: pageLimit(context, limit), cursor };
      const position = readCursor(page, { task_id });
      const after =
        position === undefined ? undefined : (JSON.parse(position) as { event_id: number; id: string });
      const rows = await readArtifacts(session, task_id, page.limit + 1, after);
      const found = cutPage(rows, page, { task_id }, ({ event_id, id }) =>
        JSON.stringify({ event_id: Number(event_id), id }),
      );
      const { items, ...rest } = await addTotal(found, page, () => countArtifactsOf(session, task_id));
      const project = (await session.first(findTask, { id: task_id }))?.project_id ?? undefined;
      const { describeFile } = storePorts(context);
      const compared = await Promise.all(
        items.map(async (item) => {
          const state = await checkArtifact(session, item, project, describeFile);
          return { ...item, ...(state && { state }) };
        }),
      );
      return { ...rest, items: compared };
    }),
});
