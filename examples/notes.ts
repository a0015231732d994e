// A complete CLI for agents: the kernel provides envelope, exit codes, confirm tokens, batches, audit and reference.
import { readFileSync, writeFileSync } from 'node:fs';
import { defineBatch, defineRead, defineWrite, described, Fault, runCli } from 'deed-cli/contract';
import * as z from 'zod';

const file = process.env.NOTES_FILE ?? 'notes.json';
const text = () => readFileSync(file, { encoding: 'utf8', flag: 'a+' }) || '[]';
const read = () => new Map(JSON.parse(text()) as [string, string][]);
const write = (notes: Map<string, string>) => writeFileSync(file, JSON.stringify([...notes]));

const list = defineRead({
  path: 'note list',
  summary: 'List notes',
  params: {},
  output: z.object({ notes: z.array(z.object({ id: z.string(), text: z.string() })) }),
  untrusted: ['notes[].text'],
  examples: ['note list --fields notes[].id'],
  run: async () => ({ notes: [...read()].map(([id, text]) => ({ id, text })) }),
});

const add = defineWrite({
  path: 'note add',
  summary: 'Add a note',
  params: { id: described(z.string(), 'The note'), text: described(z.string(), 'The text of the note') },
  output: z.object({ id: z.string() }),
  examples: ['note add --id a --text hello --dry-run', 'note add --id a --text hello --confirm <token>'],
  plan: async ({ id, text }) => {
    if (read().has(id)) throw new Fault('E_CONFLICT', `The note "${id}" already exists.`);
    return { changes: [{ action: 'add', resource: 'note', id, before: null, after: { text } }] };
  },
  run: async ({ id, text }) => {
    write(read().set(id, text));
    return { id };
  },
});

const remove = defineBatch({
  path: 'note delete',
  summary: 'Delete notes',
  gate: 'dangerous',
  params: { ids: described(z.array(z.string()), 'The names of the notes') },
  targets: 'ids',
  action: 'delete',
  examples: ['note delete --ids a,b --dry-run', 'note delete --ids a,b --dangerous --confirm <token>'],
  errors: ['E_NOT_FOUND'],
  plan: async ({ ids }) =>
    ids.map((id) => ({ action: 'delete', resource: 'note', id, version: read().get(id) })),
  apply: async ([note]) => {
    const notes = read();
    if (!note || !notes.delete(note.id)) throw new Fault('E_NOT_FOUND', `Unknown note: "${note?.id}".`);
    write(notes);
    return [{}];
  },
});

await runCli({ name: 'notes', version: '1.0.0', description: 'notes', commands: [list, add, remove] });
