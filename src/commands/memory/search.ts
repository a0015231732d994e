import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { MEMORY_SCOPES, showMemory } from '../../continuity/memory/memory.ts';
import { findMemories } from '../../continuity/memory/search/search-memories.ts';
import { defineRead } from '../../contract/command.ts';
import { cutPage, PAGE_PARAMETERS, pageOf, readCursor } from '../../contract/paging.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { withReader } from '../continuity/open-store.ts';
import { scopeId } from '../continuity/task-ids.ts';
import { shortText } from '../continuity/text-parameters.ts';
import { memorySchema, MEMORY_TEXT, textOf } from '../continuity/store-schemas.ts';
import { pageLimit } from '../command-settings.ts';

export default defineRead({
  path: 'memory search',
  summary: 'Search memories by words, best match first',
  params: {
    query: described(shortText, 'Words or a question; memories with any of the words are found'),
    scope: described(v.optional(v.picklist(MEMORY_SCOPES)), 'Only memories of this scope'),
    scope_id: scopeId(described(v.optional(shortText), 'Only memories of this project, task or agent')),
    ...PAGE_PARAMETERS,
    ...STORE_PARAMETERS,
  },
  positionals: ['query'],
  output: pageOf(memorySchema),
  sort: 'relevance, precedence, confirmed_at descending',
  untrusted: textOf('items[]', MEMORY_TEXT),
  keyFields: ['key', 'value', 'scope', 'scope_id'],
  columns: ['key', 'value', 'scope', 'updated_at'],
  examples: ['memory search "test command"', 'memory search deploy --scope project --scope-id app'],
  errors: ['E_DAMAGED'],
  run: ({ query, scope, scope_id, limit, cursor, ...store }, context) =>
    withReader(store, context, async (session, at) => {
      const filters = { query, scope, scope_id };
      const page = { limit: pageLimit(context, limit), cursor };
      const offset = Number(readCursor(page, filters) ?? 0);
      const search = { words: query, scope, scopeId: scope_id, limit: page.limit + 1, offset };
      const rows = await findMemories(session, search, at);
      const { items, ...rest } = cutPage(rows, page, filters, () => String(offset + page.limit));
      return { ...rest, items: items.map(showMemory) };
    }),
});
