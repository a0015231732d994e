import * as v from 'valibot';
import { checkScope, requireMemory } from '../../continuity/memory/memory.ts';
import { forgetMemory } from '../../continuity/memory/write-memory.ts';
import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { KEY_PARAMETERS } from '../continuity/memory-parameters.ts';

export default defineJournalWrite({
  path: 'memory delete',
  summary: 'Delete the value of a key; its history stays',
  params: KEY_PARAMETERS,
  output: { event_id: v.string(), key: v.string(), scope: v.string(), scope_id: v.optional(v.string()) },
  untrusted: ['key', 'scope_id'],
  examples: [
    'memory delete --key test-command --agent claude-app --request-id r11 --dry-run',
    'memory delete --key test-command --agent claude-app --request-id r11 --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  changes: async ({ key, scope, scope_id }, { db, at }) => {
    const location = checkScope(scope, scope_id);
    const row = await requireMemory(db, { ...location, key }, at);
    const id = [location.scope, location.scope_id, key].filter((part) => part !== '').join('/');
    return [
      {
        action: 'delete',
        resource: 'memory',
        id,
        before: { value: row.value },
        after: null,
        version: String(row.id),
      },
    ];
  },
  apply: async ({ key, scope, scope_id }, work) => {
    const { eventId } = await forgetMemory(work, { ...checkScope(scope, scope_id), key });
    return { event_id: eventId, key, scope, ...(scope_id !== undefined && { scope_id }) };
  },
});
