import * as v from 'valibot';
import { checkScope, requireMemory, showMemory } from '../../continuity/memory/memory.ts';
import { defineRead } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { KEY_PARAMETERS } from '../continuity/memory-parameters.ts';
import { withReader } from '../continuity/open-store.ts';
import { memorySchema, MEMORY_TEXT } from '../continuity/store-schemas.ts';

export default defineRead({
  path: 'memory get',
  summary: 'Show the value of a key',
  params: { ...KEY_PARAMETERS, ...STORE_PARAMETERS },
  output: v.object({ ...memorySchema.entries, _untrusted: v.optional(v.array(v.string())) }),
  untrusted: [...MEMORY_TEXT],
  examples: ['memory get --key test-command', 'memory get --key goal --scope project --scope-id app'],
  errors: ['E_NOT_FOUND', 'E_DAMAGED'],
  run: ({ key, scope, scope_id, ...store }, context) =>
    withReader(store, context, async (session, at) =>
      showMemory(await requireMemory(session, { ...checkScope(scope, scope_id), key }, at)),
    ),
});
