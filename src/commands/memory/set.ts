import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { MEMORY_KINDS, MEMORY_SCOPES, placeOf, VALUE_TYPES } from '../../continuity/memory/memory.ts';
import { setMemory } from '../../continuity/memory/write-memory.ts';
import { findMemory } from '../../continuity/database/queries/memories.ts';

import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { readMemory } from '../continuity/read-memory.ts';
import { shortText, valueText } from '../continuity/text-parameters.ts';

export default defineJournalWrite({
  path: 'memory set',
  summary: 'Remember a value under a key',
  description:
    'Remember a value under a key. What the key held before is superseded and stays in its history. Only a person can write a directive',
  params: {
    key: described(shortText, 'The name to find it by'),
    value: described(valueText, 'What to remember'),
    type: described(v.optional(v.picklist(VALUE_TYPES)), 'The type of the value (default: what it reads as)'),
    scope: described(v.optional(v.picklist(MEMORY_SCOPES), 'global'), 'Who sees it'),
    scope_id: described(v.optional(shortText), 'Which project, task or agent; none for global'),
    kind: described(v.optional(v.picklist(MEMORY_KINDS)), 'What it is (default: as before, or fact)'),
    pin: described(v.optional(v.boolean()), 'Show it before all other notes (default: as before, or no)'),
    expires_in: described(v.optional(v.string()), 'Forget it after this time, for example 24h, 7d, 2w'),
  },
  output: {
    event_id: int(),
    key: v.string(),
    scope: v.string(),
    scope_id: v.optional(v.string()),
    expires_at: v.optional(v.string()),
  },
  untrusted: ['key', 'scope_id'],
  examples: [
    'memory set --key test-command --value "npm test" --agent claude-app --request-id r10 --dry-run',
    'memory set --key test-command --value "npm test" --agent claude-app --request-id r10 --confirm <token>',
  ],
  errors: ['E_HUMAN_REQUIRED'],
  changes: async (params, { session, at, agent }) => {
    const memory = readMemory(
      { ...params, value_type: params.type, pinned: params.pin },
      agent,
      Date.parse(at),
    );
    const { scope, scope_id, key } = memory;
    const previous = await session.first(findMemory, { scope, scope_id, key });
    return [
      {
        action: 'set',
        resource: 'memory',
        id: [scope, scope_id, key].filter((part) => part !== '').join('/'),
        before: previous ? { value: previous.value } : null,
        after: { value: memory.value, value_type: memory.valueType },
        version: previous ? String(previous.id) : null,
      },
    ];
  },
  apply: async (params, scope) => {
    const memory = readMemory(
      { ...params, value_type: params.type, pinned: params.pin },
      scope.agent,
      scope.nowMs,
    );
    const { eventId } = await setMemory(scope, memory);
    return {
      event_id: eventId,
      key: memory.key,
      scope: memory.scope,
      ...(placeOf(memory.scope, params.scope_id).scope_id !== '' && { scope_id: memory.scope_id }),
      ...(memory.expiresAt !== null && { expires_at: memory.expiresAt }),
    };
  },
});
