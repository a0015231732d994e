import { expect, it } from 'vitest';
import type { EventRow } from '../events/event.ts';
import { chooseMessages, ruledOutIn } from './choose-messages.ts';
import { excerptMessage } from './excerpt-message.ts';
import { excerptRequest } from './excerpt-request.ts';

const LONG = `I looked at the parser and rewrote three functions of it. ${'The code is shorter now and easier to read. '.repeat(12)}

\`\`\`ts
const next = 'a block of code';
\`\`\`

| file | lines |
|---|---|
| next.ts | 12 |

The test of the lexer still fails with "unexpected token". ${'All other tests pass as before. '.repeat(8)}

Next steps:
1. quote the separator in lexer.ts
2. run the benchmark

Shall I also remove the old tokenizer?`;

it('a message is shortened to open points, next steps and questions', () => {
  const excerpt = excerptMessage(LONG, 260);
  for (const text of [
    'test of the lexer still fails',
    'quote the separator in lexer.ts',
    'run the benchmark',
    'Shall I also remove',
  ])
    expect(excerpt).toContain(text);
  expect(excerpt).not.toMatch(/block of code|\| file|easier to read/u);
  expect(excerpt.length).toBeLessThanOrEqual(270);
});

it('a short message stays whole, and one long sentence is cut in its middle', () => {
  expect(excerptMessage('Done.\nNext: the docs.', 100)).toBe('Done.\nNext: the docs.');
  expect(excerptMessage(`${'word '.repeat(200)}end`, 50)).toMatch(/^word .* … .*end$/u);
});

it('a request is shortened to its subject and its specific sentences', () => {
  const request = `Build the export of invoices. ${'It is for the people in the office. '.repeat(20)}The file is out/invoices.csv with EXPORT_LIMIT=500. ${'They asked for it a long time ago. '.repeat(20)}`;
  const excerpt = excerptRequest(request, 200);
  expect(excerpt).toContain('Build the export of invoices.');
  expect(excerpt).toContain('The file is out/invoices.csv with EXPORT_LIMIT=500.');
  expect(excerpt.length).toBeLessThanOrEqual(205);
});

const row = (id: number, session_id: string, message: string): EventRow => ({
  id,
  kind: 'agent_message',
  agent_name: 'a',
  project_id: '/p',
  task_id: null,
  message,
  metadata: JSON.stringify({ session_id }),
  created_at: '2026-01-01T00:00:00.000Z',
  archived_at: null,
});

it('the newest message with content comes first, then the last ones of earlier sessions, then decisions', () => {
  const messages = [
    row(9, 's3', 'OK.'),
    row(8, 's3', 'The timer leaks; next step: stop it in close.'),
    row(7, 's3', 'I read the four files of the writer.'),
    row(6, 's3', 'Decided: one ticker for all of the batches.'),
    row(5, 's2', 'The queue is committed, the timer is still missing.'),
    row(4, 's2', 'I have written the first half of the queue.'),
    row(3, 's1', 'A heap was slower, so I use a list.'),
  ];
  expect(chooseMessages(messages).map(({ id }) => id)).toEqual([8, 5, 3, 6]);
  expect(chooseMessages([row(1, 's1', 'OK.')]).map(({ id }) => id)).toEqual([1]);
  expect(chooseMessages([])).toEqual([]);
});

it('what does not work is found in the messages of agents', () => {
  const found = ruledOutIn([
    row(2, 's1', 'Sorted order does not help: the import holds the lock. Next: rows.'),
  ]);
  expect(found.map(({ message }) => message)).toEqual([
    'Sorted order does not help: the import holds the lock.',
  ]);
});
