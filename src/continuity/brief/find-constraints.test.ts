import { expect, it } from 'vitest';
import type { EventRow } from '../events/event.ts';
import { findConstraints } from './find-constraints.ts';

/** Prompts, the newest first. */
const limitsIn = (...messages: string[]): string[] =>
  findConstraints(
    messages.map((message, index): EventRow => ({
      id: messages.length - index,
      kind: 'user_prompt',
      agent_name: 'a',
      project_id: '/p',
      task_id: null,
      message,
      metadata: '{}',
      created_at: '2026-01-01T00:00:00.000Z',
      archived_at: null,
    })),
  ).map(({ text }) => text);

it.each([
  'in memory is fine. no redis!',
  'And no new dependencies please, we are in a freeze.',
  'use UTC and no floating times please',
  'dont skip the test, i want it red',
  "Don't touch the schema.",
  'do it without a new table',
  'only change files below src/api',
  'always run the linter before a commit',
  'leave the importer alone, Ravi works on it',
  'stick to the standard library',
  'a map, not a heap',
  'use polling instead of websockets',
  "I'd rather have it slow, so retries rather than a cache",
  'the public API is frozen',
  'pls stop adding comments to every line',
  'filter server-side is NOT wanted, the kiosk caches the week',
  'ask Jitka before touching the seed',
  'you may now add packages',
  'the dependency freeze is over',
  'forget about the old importer',
])('finds the limit in "%s"', (sentence) => {
  expect(limitsIn(`Please build the export. ${sentence}`)).toHaveLength(1);
});

it.each([
  'Why does it not work?',
  'no idea what happens there',
  'Build an export of all invoices as CSV.',
  'no problem, continue',
  'the upload failed, your tests probably dont',
])('finds none in "%s"', (sentence) => {
  expect(limitsIn(sentence)).toEqual([]);
});

it('puts permanent limits before newer ones, and parts of a specification last', () => {
  const limits = limitsIn(
    'The check must not raise, and every row must have an id. Use no regex for it.',
    'Now the export. Keep it small.',
    'Never push to main. Two of the customers could never log in.',
  );
  expect(limits).toEqual([
    'Never push to main.',
    'Use no regex for it.',
    'Keep it small.',
    'The check must not raise, and every row must have an id.',
  ]);
});

it('keeps a limit of ten sessions ago, and shows what was lifted next to it', () => {
  const later = Array.from(
    { length: 40 },
    (_, index) => `Now step ${index}: it should only print ${index} rows, do not print ${index + 1}.`,
  );
  const limits = limitsIn(
    'good news, the dependency freeze is over',
    ...later,
    'No new packages: dependency freeze. Never call the gateway from tests.',
  );
  expect(limits.slice(0, 3)).toEqual([
    'good news, the dependency freeze is over',
    'No new packages: dependency freeze.',
    'Never call the gateway from tests.',
  ]);
});

it('shortens a long sentence to the limit and its reason', () => {
  const [limit = ''] = limitsIn(
    `The importer reads the file line by line, ${'and it checks each of the fields, '.repeat(12)}but never write to the ledger, auditors read it, ${'and so on, '.repeat(30)}`,
  );
  expect(limit).toContain('never write to the ledger, auditors read it');
  expect(limit.length).toBeLessThan(210);
});

it.each([
  '不要修改数据库结构',
  '请勿提交',
  'データベースは変更しないでください',
  '커밋하지 마세요',
  'Не трогай файл config.yml',
  "N'utilise jamais jQuery",
  'ne touche pas au dossier legacy',
  'No uses axios, usa fetch',
  'I always want a test for a fix',
])('shows "%s" next to another limit', (message) => {
  expect(limitsIn(`${message}\n不要用别的库`)).toEqual([message, '不要用别的库']);
});

it.each([
  'It always crashes on the second run',
  'I always get a 500 here',
  'never mind',
  "don't worry about it",
  'ça ne marche pas',
])('does not show the report "%s"', (message) => {
  expect(limitsIn(message)).toEqual([]);
});

it('shows limits before what a program does', () => {
  expect(limitsIn('The page never finishes loading.', 'Keep the diff small.')).toEqual([
    'Keep the diff small.',
    'The page never finishes loading.',
  ]);
});
