import * as v from 'valibot';
import { checkScope, requireMemory } from '../../continuity/memory/memory.ts';
import { confirmMemoryOf } from '../../continuity/memory/write-memory.ts';
import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { KEY_PARAMETERS } from '../continuity/memory-parameters.ts';

export default defineJournalWrite({
  path: 'memory confirm',
  summary: 'Record that the value of a key is still correct',
  description:
    'Record that the value of a key is still correct. If several memories have this key, a brief shows the one with the stronger kind, then with the narrower scope, then the last confirmed. Only a person can confirm a directive',
  params: KEY_PARAMETERS,
  output: {
    event_id: v.string(),
    key: v.string(),
    scope: v.string(),
    scope_id: v.optional(v.string()),
    confirmed_at: v.string(),
  },
  untrusted: ['key', 'scope_id'],
  examples: [
    'memory confirm --key test-command --agent claude-app --request-id r12 --dry-run',
    'memory confirm --key test-command --agent claude-app --request-id r12 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND', 'E_HUMAN_REQUIRED'],
  changes: async ({ key, scope, scope_id }, { db, at }) => {
    const location = checkScope(scope, scope_id);
    const row = await requireMemory(db, { ...location, key }, at);
    return [
      {
        action: 'confirm',
        resource: 'memory',
        id: [location.scope, location.scope_id, key].filter((part) => part !== '').join('/'),
        before: { confirmed_at: row.confirmed_at },
        after: { value: row.value },
        version: String(row.id),
      },
    ];
  },
  apply: async ({ key, scope, scope_id }, work) => {
    const { eventId } = await confirmMemoryOf(work, { ...checkScope(scope, scope_id), key });
    return {
      event_id: eventId,
      key,
      scope,
      ...(scope_id !== undefined && { scope_id }),
      confirmed_at: work.at,
    };
  },
});
