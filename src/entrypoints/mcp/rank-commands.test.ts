import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEED_COMMANDS } from '../../commands/table.ts';
import { createTable } from '../../contract/command-table.ts';
import { COMMAND_PHRASES } from './command-phrases.ts';
import { rankCommands } from './rank-commands.ts';
import { cpuTimeMs } from '../../system/cpu-time-ms.ts';

interface Question {
  readonly question: string;
  readonly expect: readonly string[];
}

const table = createTable(DEED_COMMANDS);
const commands = await Promise.all(table.paths.map((path) => table.load(path)));

/** The second file is only for measuring: never add a synonym or a phrase because a question of this file is missed. */
test.each(['find-questions.json', 'find-questions-held-out.json'])(
  'nine of ten questions of %s find a right command among the first three',
  (name) => {
    const file = new URL(`../../../test/fixtures/${name}`, import.meta.url);
    const questions = JSON.parse(readFileSync(file, 'utf8')) as readonly Question[];
    const missed = questions.filter(({ question, expect: right }) => {
      const first = rankCommands(question, commands).slice(0, 3);
      return !first.some(({ path }) => right.includes(path));
    });
    expect(
      missed.length / questions.length,
      missed.map(({ question }) => question).join('\n'),
    ).toBeLessThanOrEqual(0.1);
  },
);

test('a synonym counts with any ending', () => {
  const damaged = rankCommands('is the store damaged', commands);
  expect(rankCommands('is the store corrupted', commands)).toEqual(damaged);
});

test('a word that only resembles a known one is not taken for a typo', () => {
  expect(rankCommands('mountain', commands)).toEqual([]);
  expect(rankCommands('recipt', commands)[0]?.path).toMatch(/^receipt /u);
});

test('a text of thousands of unknown words is answered as fast as a question', () => {
  const words = Array.from({ length: 20_000 }, (_, index) => `rxzqw${index}`).join(' ');
  const started = cpuTimeMs();
  const found = rankCommands(`kill a process ${words}`, commands);
  expect(cpuTimeMs() - started).toBeLessThan(3000);
  expect(found).toEqual(rankCommands('kill a process', commands));
});

test('every command has phrases, and every phrase belongs to a command', () => {
  expect(Object.keys(COMMAND_PHRASES).toSorted()).toEqual([...table.paths].toSorted());
});
