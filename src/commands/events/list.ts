import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { countMatchingEvents, readEvents } from '../../continuity/events/event.ts';
import { requireKnownTask } from '../../continuity/tasks/task.ts';
import { defineRead } from '../../contract/command.ts';
import { addTotal, cutPage, PAGE_PARAMETERS, pageOf, readCursor } from '../../contract/paging.ts';
import { CALLER_PARAMETERS } from '../continuity/define-journal-write.ts';
import { agentOf, withReader } from '../continuity/open-store.ts';
import { eventIdParameter } from '../continuity/store-parameters.ts';
import { taskId } from '../continuity/task-ids.ts';
import { shortText } from '../continuity/text-parameters.ts';
import { EVENT_TEXT, eventSchema, textOf } from '../continuity/store-schemas.ts';
import { pageLimit } from '../command-settings.ts';

export default defineRead({
  path: 'events list',
  summary: 'List events, newest first',
  params: {
    all: described(
      v.optional(v.boolean(), false),
      'Events of all agents (default for a person; an agent sees its own)',
    ),
    task_id: taskId(described(v.optional(shortText), 'Only events of this task')),
    kind: described(v.optional(shortText), 'Only events of this kind'),
    search: described(v.optional(shortText), 'Only events whose message contains this text, ignoring case'),
    since_id: described(v.optional(eventIdParameter), 'Only events after this one, by id'),
    asc: described(v.optional(v.boolean(), false), 'Oldest first'),
    include_archived: described(v.optional(v.boolean(), false), 'Include archived events'),
    ...PAGE_PARAMETERS,
    ...CALLER_PARAMETERS,
  },
  output: pageOf(eventSchema),
  sort: 'id descending',
  untrusted: textOf('items[]', EVENT_TEXT),
  keyFields: ['id', 'kind', 'agent_name', 'message', 'created_at'],
  columns: ['id', 'kind', 'message', 'agent_name', 'created_at'],
  examples: [
    'events list --task-id task_6a2x74g0k3m9p --limit 50',
    'events list --all --kind progress --fields id,message',
    'events list --all --search "rate limit"',
  ],
  errors: ['E_NOT_FOUND', 'E_DAMAGED'],
  run: (
    { all, task_id, kind, search, since_id, asc, include_archived, limit, cursor, agent, ...store },
    context,
  ) =>
    withReader(store, context, async (session) => {
      if (task_id !== undefined) await requireKnownTask(session, task_id);
      const isAgent = agent !== undefined || context.caller.agent !== null;
      const who = all || !isAgent ? undefined : agentOf({ agent }, context);
      const sinceId = since_id === undefined ? undefined : Number(since_id);
      const filters = { who, task_id, kind, search, since_id: sinceId, asc, include_archived };
      const page = { limit: pageLimit(context, limit), cursor };
      const position = readCursor(page, filters);
      const query = {
        agent: who,
        taskId: task_id,
        kind,
        text: search,
        sinceId,
        ascending: asc,
        includeArchived: include_archived,
        limit: page.limit + 1,
      };
      const rows = await readEvents(session, {
        ...query,
        ...(position !== undefined && { [asc ? 'sinceId' : 'beforeId']: Number(position) }),
      });
      const found = cutPage(rows, page, filters, ({ id }) => id);
      return addTotal(found, page, () => countMatchingEvents(session, query));
    }),
});
