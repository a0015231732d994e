import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { MEMORY_KINDS, MEMORY_SCOPES, checkScope, VALUE_TYPES } from '../../continuity/memory/memory.ts';
import { setMemory } from '../../continuity/memory/write-memory.ts';
import { findMemory } from '../../continuity/database/queries/memories.ts';

import { defineJournalWrite } from '../continuity/define-journal-write.ts';
import { parseMemory } from '../continuity/parse-memory.ts';
import { scopeId } from '../continuity/task-ids.ts';
import { shortText, valueText } from '../continuity/text-parameters.ts';

export default defineJournalWrite({
  path: 'memory set',
  summary: 'Remember a value under a key',
  description:
    'Remember a value under a key. The previous value is superseded and stays in the history of the key. Only a person can write a directive',
  params: {
    key: described(shortText, 'The key of the memory'),
    value: described(valueText, 'The value to store'),
    type: described(v.optional(v.picklist(VALUE_TYPES)), 'The type of the value (default: inferred)'),
    scope: described(v.optional(v.picklist(MEMORY_SCOPES), 'global'), 'The scope of the memory'),
    scope_id: scopeId(described(v.optional(shortText), 'The project, task or agent; not for global')),
    kind: described(
      v.optional(v.picklist(MEMORY_KINDS)),
      'The kind of memory (default: the kind of the previous value, or fact)',
    ),
    pin: described(
      v.optional(v.boolean()),
      'List it before all other memories (default: as the previous value, or no)',
    ),
    expires_in: described(v.optional(v.string()), 'Expire after this time, for example 24h, 7d, 2w'),
  },
  output: {
    event_id: v.string(),
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
  changes: async (params, { db, at, agent }) => {
    const memory = parseMemory(
      { ...params, value_type: params.type, pinned: params.pin },
      agent,
      Date.parse(at),
    );
    const { scope, scope_id, key } = memory;
    const previous = await db.first(findMemory, { scope, scope_id, key });
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
    const memory = parseMemory(
      { ...params, value_type: params.type, pinned: params.pin },
      scope.agent,
      scope.nowMs,
    );
    const { eventId } = await setMemory(scope, memory);
    return {
      event_id: eventId,
      key: memory.key,
      scope: memory.scope,
      ...(checkScope(memory.scope, params.scope_id).scope_id !== '' && { scope_id: memory.scope_id }),
      ...(memory.expiresAt !== null && { expires_at: memory.expiresAt }),
    };
  },
});
