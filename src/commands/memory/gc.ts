import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { purgeExpired } from '../../continuity/store/purge-expired.ts';
import { allowDeletionByAge } from '../../contract/deletable-since.ts';
import { defineJournalWrite } from '../continuity/define-journal-write.ts';

export default defineJournalWrite({
  path: 'memory gc',
  summary: 'Delete expired memories, and answers to request ids older than 30 days',
  params: {
    limit: described(
      v.optional(v.pipe(int(), v.minValue(1), v.maxValue(100_000)), 500),
      'The maximum number of memories, and of answers, to delete',
    ),
  },
  output: {
    event_id: v.string(),
    deleted: int(),
    requests_deleted: int(),
    events_archived: int(),
    limit: int(),
  },
  examples: [
    'memory gc --agent claude-app --request-id r12 --dry-run',
    'memory gc --agent claude-app --request-id r12 --confirm <token>',
  ],
  changes: async ({ limit }) => [{ action: 'collect', resource: 'memory', id: 'expired', after: { limit } }],
  apply: async ({ limit }, scope) => {
    const { eventId, memories, requests, events } = await purgeExpired(scope, { limit });
    return {
      event_id: eventId,
      deleted: memories,
      requests_deleted: requests,
      events_archived: events,
      limit,
    };
  },
  finish: (context) => allowDeletionByAge(context.home),
});
