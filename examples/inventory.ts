// A larger program on the kernel: two reads, a write, a batch, a stream, a step for a person, and error codes of its own.
import { readFileSync, writeFileSync } from 'node:fs';
import {
  addTotal,
  cutPage,
  defineBatch,
  defineErrorCodes,
  defineRead,
  defineStream,
  defineWrite,
  described,
  Fault,
  PAGE_PARAMETERS,
  pageOf,
  readCursor,
  runCli,
} from 'deed-cli/contract';
import * as z from 'zod';

/** Codes that no other program has: a full shelf may have room later, so the same call may succeed then. */
const codes = defineErrorCodes({ E_SHELF_FULL: { exit: 7, retryable: true } });

interface Item {
  readonly id: string;
  readonly name: string;
  readonly count: number;
}

const file = process.env.INVENTORY_FILE ?? 'inventory.json';
const SHELF = 100;
const text = () => readFileSync(file, { encoding: 'utf8', flag: 'a+' }) || '[]';
const read = () => new Map((JSON.parse(text()) as Item[]).map((item) => [item.id, item]));
const write = (items: ReadonlyMap<string, Item>) => writeFileSync(file, JSON.stringify([...items.values()]));
const find = (id: string): Item => {
  const item = read().get(id);
  if (item === undefined)
    throw new Fault('E_NOT_FOUND', `Unknown item: "${id}".`, { hint: 'List them: inventory item list' });
  return item;
};

/** A token is valid only as long as the item is as it was in the dry run. */
const versionOf = (item: Item | undefined): string | null => (item === undefined ? null : String(item.count));

const itemSchema = z.object({ id: z.string(), name: z.string(), count: z.number() });
const id = described(z.string().min(1), 'The item');

const list = defineRead({
  path: 'item list',
  summary: 'List items by id',
  params: PAGE_PARAMETERS,
  output: pageOf(itemSchema),
  sort: 'id ascending',
  untrusted: ['items[].name'],
  keyFields: ['id', 'count'],
  columns: ['id', 'name', 'count'],
  examples: ['item list --limit 10'],
  run: async (page) => {
    const rows = [...read().values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const after = readCursor(page, {});
    const later = rows.filter((row) => after === undefined || row.id > after);
    return addTotal(
      cutPage(later, page, {}, (row) => row.id),
      page,
      () => rows.length,
    );
  },
});

const get = defineRead({
  path: 'item get',
  summary: 'Show one item',
  params: { id },
  positionals: ['id'],
  output: itemSchema,
  untrusted: ['name'],
  examples: ['item get bolt'],
  errors: ['E_NOT_FOUND'],
  run: async ({ id }) => find(id),
});

const put = defineWrite({
  path: 'item put',
  summary: 'Add an item, or change its count',
  params: {
    id,
    name: described(z.string().optional(), 'Its name (default: the id)'),
    count: described(z.coerce.number().int().min(0), 'How many there are'),
  },
  output: itemSchema,
  untrusted: ['name'],
  examples: ['item put --id bolt --count 5 --dry-run', 'item put --id bolt --count 5 --confirm <token>'],
  errors: [codes.E_SHELF_FULL],
  plan: async ({ id, name = id, count }) => {
    const items = read();
    const known = items.get(id);
    const total = [...items.values()].reduce((sum, item) => sum + item.count, count - (known?.count ?? 0));
    if (total > SHELF)
      throw new Fault(codes.E_SHELF_FULL, `The shelf has room for ${SHELF}, not ${total}.`, {
        hint: 'Remove items first.',
      });
    const change = { action: 'put', resource: 'item', id, before: known ? { ...known } : null };
    return { changes: [{ ...change, after: { id, name, count }, version: versionOf(known) }] };
  },
  run: async ({ id, name = id, count }) => {
    const item = { id, name, count };
    write(read().set(id, item));
    return item;
  },
});

const remove = defineBatch({
  path: 'item remove',
  summary: 'Remove items',
  gate: 'dangerous',
  params: { ids: described(z.array(z.string()), 'The items') },
  targets: 'ids',
  action: 'remove',
  examples: [
    'item remove --ids bolt,nut --dry-run',
    'item remove --ids bolt,nut --dangerous --confirm <token>',
  ],
  errors: ['E_NOT_FOUND'],
  plan: async ({ ids }) =>
    ids.map((id) => ({ action: 'remove', resource: 'item', id, version: versionOf(read().get(id)) })),
  apply: async ([change]) => {
    const items = read();
    items.delete(find(change?.id ?? '').id);
    write(items);
    return [{}];
  },
});

const watch = defineStream({
  path: 'item export',
  summary: 'Stream all items, one JSON line each',
  params: {},
  item: itemSchema,
  untrusted: ['name'],
  examples: ['item export'],
  run: async function* () {
    yield* read().values();
  },
});

const audit = defineWrite({
  path: 'stock sign',
  summary: 'Sign the stock of the day; only a person can',
  params: {},
  output: z.object({ signed: z.boolean() }),
  examples: ['stock sign --dry-run', 'stock sign --confirm <token>'],
  errors: ['E_HUMAN_REQUIRED'],
  plan: async () => ({ changes: [{ action: 'sign', resource: 'stock', id: 'today' }] }),
  run: async (_params, { caller, system }) => {
    if (caller.agent !== null || system.hasTerminal?.() !== true)
      throw new Fault('E_HUMAN_REQUIRED', 'A person must count the shelf and sign.', {
        hint: 'Ask a person to run it in a terminal.',
        details: { action: 'count_and_sign', resume: 'inventory stock sign --dry-run' },
      });
    return { signed: true };
  },
});

await runCli({
  name: 'inventory',
  version: '1.0.0',
  description: 'counts what is on a shelf',
  commands: [list, get, put, remove, watch, audit],
});
