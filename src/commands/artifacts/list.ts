import { readArtifacts } from '../../continuity/artifacts/artifact.ts';
import { defineRead } from '../../contract/command.ts';
import { cutPage, PAGE_PARAMETERS, pageOf, readCursor } from '../../contract/paging.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { withReader } from '../continuity/open-store.ts';
import { idParameter } from '../continuity/store-parameters.ts';
import { artifactSchema, textOf } from '../continuity/store-schemas.ts';
import { pageLimit } from '../command-settings.ts';

export default defineRead({
  path: 'artifacts list',
  summary: 'List the artifacts of a task, newest first',
  params: { task_id: idParameter, ...PAGE_PARAMETERS, ...STORE_PARAMETERS },
  output: pageOf(artifactSchema),
  sort: 'event_id descending, id descending',
  untrusted: textOf('items[]', ['file_path', 'content_type']),
  examples: ['artifacts list --task-id task_6a2x74g0k3m9p'],
  errors: ['E_INTEGRITY'],
  run: ({ task_id, limit, cursor, ...store }, context) =>
    withReader(store, context, async (session) => {
      const page = { limit: pageLimit(context, limit), cursor };
      const position = readCursor(page, { task_id });
      const after =
        position === undefined ? undefined : (JSON.parse(position) as { event_id: number; id: string });
      const rows = await readArtifacts(session, task_id, page.limit + 1, after);
      return cutPage(rows, page, { task_id }, ({ event_id, id }) =>
        JSON.stringify({ event_id: Number(event_id), id }),
      );
    }),
});
