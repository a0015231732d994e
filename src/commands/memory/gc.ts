import * as z from '../../base/schema/schema.ts';
import { purgeExpired } from '../../continuity/store/purge-expired.ts';
import { allowDeletionByAge } from '../../contract/retention.ts';
import { defineJournalWrite } from '../continuity/define-journal-write.ts';

export default defineJournalWrite({
  path: 'memory gc',
  summary: 'Remove expired memories, and answers to request ids older than thirty days',
  params: {
    limit: z.described(z._default(z.int().check(z.gte(1), z.lte(100_000)), 500), 'How many at most'),
  },
  output: {
    event_id: z.int(),
    deleted: z.int(),
    requests_deleted: z.int(),
    events_archived: z.int(),
    limit: z.int(),
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
