import * as z from '../../base/schema/schema.ts';
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
    key: z.described(shortText, 'The name to find it by'),
    value: z.described(valueText, 'What to remember'),
    type: z.described(z.optional(z.enum(VALUE_TYPES)), 'The type of the value (default: what it reads as)'),
    scope: z.described(z._default(z.enum(MEMORY_SCOPES), 'global'), 'Who sees it'),
    scope_id: z.described(z.optional(shortText), 'Which project, task or agent; none for global'),
    kind: z.described(z.optional(z.enum(MEMORY_KINDS)), 'What it is (default: as before, or fact)'),
    pin: z.described(z.optional(z.boolean()), 'Show it before all other notes (default: as before, or no)'),
    expires_in: z.described(z.optional(z.string()), 'Forget it after this time, for example 24h, 7d, 2w'),
  },
  output: {
    event_id: z.int(),
    key: z.string(),
    scope: z.string(),
    scope_id: z.optional(z.string()),
    expires_at: z.optional(z.string()),
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
