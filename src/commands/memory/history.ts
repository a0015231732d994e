import * as v from 'valibot';
import { int } from '../../base/schema.ts';
import { checkScope, showMemory } from '../../continuity/memory/memory.ts';
import { readHistory } from '../../continuity/memory/read-memories.ts';
import { defineRead } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { KEY_PARAMETERS } from '../continuity/memory-parameters.ts';
import { withReader } from '../continuity/open-store.ts';
import { memorySchema, MEMORY_TEXT, textOf } from '../continuity/store-schemas.ts';

/** An export contains all versions. */
const MAX_VERSIONS = 200;

export default defineRead({
  path: 'memory history',
  summary: 'Show all values of a key, newest first',
  params: { ...KEY_PARAMETERS, ...STORE_PARAMETERS },
  output: v.object({
    items: v.array(memorySchema),
    count: int(),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: textOf('items[]', MEMORY_TEXT),
  examples: ['memory history --key test-command'],
  errors: ['E_DAMAGED'],
  run: ({ key, scope, scope_id, ...store }, context) =>
    withReader(store, context, async (session) => {
      const rows = await readHistory(session, { ...checkScope(scope, scope_id), key }, MAX_VERSIONS);
      return { items: rows.map(showMemory), count: rows.length };
    }),
});
