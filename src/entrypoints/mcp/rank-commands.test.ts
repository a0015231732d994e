import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEED_COMMANDS } from '../../commands/table.ts';
import { createTable } from '../../contract/command-table.ts';
import { COMMAND_PHRASES } from './command-phrases.ts';
import { rankCommands } from './rank-commands.ts';

interface Question {
  readonly question: string;
  readonly expect: readonly string[];
}

const questions = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/find-questions.json', import.meta.url), 'utf8'),
) as readonly Question[];
const table = createTable(DEED_COMMANDS);
const commands = await Promise.all(table.paths.map((path) => table.load(path)));

test('nine of ten questions find a right command among the first three', () => {
  const missed = questions.filter(({ question, expect: right }) => {
    const first = rankCommands(question, commands).slice(0, 3);
    return !first.some(({ path }) => right.includes(path));
  });
  expect(
    missed.length / questions.length,
    missed.map(({ question }) => question).join('\n'),
  ).toBeLessThanOrEqual(0.1);
});

test('every command has phrases, and no other', () => {
  expect(Object.keys(COMMAND_PHRASES).toSorted()).toEqual([...table.paths].toSorted());
});
