import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { checkScope, showMemory } from '../../continuity/memory/memory.ts';
import {
  countCurrent,
  readMemories,
  readScopes,
  type MemoryPosition,
} from '../../continuity/memory/read-memories.ts';
import { defineRead } from '../../contract/command.ts';
import { addTotal, cutPage, PAGE_PARAMETERS, pageOf, readCursor } from '../../contract/paging.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { SCOPE_PARAMETERS } from '../continuity/memory-parameters.ts';
import { withReader } from '../continuity/open-store.ts';
import { memorySchema, MEMORY_TEXT, textOf } from '../continuity/store-schemas.ts';
import { pageLimit } from '../command-settings.ts';

/** As many as a person can choose from. */
const MAX_SCOPES = 200;

export default defineRead({
  path: 'memory list',
  summary: 'List the memories of a scope, pinned first, then the newest',
  params: {
    ...SCOPE_PARAMETERS,
    scopes: described(
      v.optional(v.boolean(), false),
      `Also list the scopes that have memories: the ${MAX_SCOPES} that changed last`,
    ),
    ...PAGE_PARAMETERS,
    ...STORE_PARAMETERS,
  },
  output: v.object({
    ...pageOf(memorySchema).entries,
    scopes: v.optional(
      v.array(
        v.object({
          scope: v.string(),
          scope_id: v.optional(v.string()),
          title: v.optional(v.string()),
          memories: int(),
        }),
      ),
    ),
  }),
  sort: 'pinned, updated_at descending, id descending',
  untrusted: [...textOf('items[]', MEMORY_TEXT), 'scopes[].scope_id', 'scopes[].title'],
  keyFields: ['key', 'value', 'kind'],
  columns: ['key', 'value', 'kind', 'updated_at'],
  examples: [
    'memory list',
    'memory list --scopes --fields scopes',
    'memory list --scope task --scope-id task_6a2x74g0k3m9p --fields key,value',
  ],
  errors: ['E_DAMAGED'],
  run: ({ scope, scope_id, scopes, limit, cursor, ...store }, context) =>
    withReader(store, context, async (session, at) => {
      const filters = { scope, scope_id };
      const page = { limit: pageLimit(context, limit), cursor };
      const position = readCursor(page, filters);
      const after = position === undefined ? undefined : (JSON.parse(position) as MemoryPosition);
      const location = checkScope(scope, scope_id);
      const rows = await readMemories(session, location, at, page.limit + 1, after);
      const found = cutPage(rows, page, filters, ({ pinned, updated_at, id }) =>
        JSON.stringify({ pinned, updated_at, id }),
      );
      const { items, ...rest } = await addTotal(found, page, () => countCurrent(session, location, at));
      return {
        ...rest,
        items: items.map(showMemory),
        ...(scopes && { scopes: [...(await readScopes(session, at, MAX_SCOPES))] }),
      };
    }),
});
