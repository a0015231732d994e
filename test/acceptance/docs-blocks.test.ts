import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import '../build-constants-setup.ts';
import { BLOCKS, PAGES, type Block } from '../fixtures/docs/blocks.ts';
import { CHECKED_BY, type CheckedBy } from '../fixtures/docs/checked-by.ts';
import { commandProblem, mentionProblem } from '../fixtures/docs/command-problem.ts';
import { commandsOfBlock, mentionsOf, typedLines, withoutComment } from '../fixtures/docs/commands.ts';
import { ROOT } from '../fixtures/run-deed.ts';

const present = <T>(values: readonly (T | undefined)[]): T[] => values.filter((value) => value !== undefined);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('every block of a page', () => {
  const rowsOf = ({ page, language }: Block): readonly CheckedBy[] =>
    CHECKED_BY.filter(
      ({ pages, languages }) => pages.test(page) && languages.split(' ').includes(language || 'text'),
    );

  it('is run or checked by one test, or has a reason why not', () => {
    const wrong = BLOCKS.filter((block) => rowsOf(block).length !== 1);
    expect(wrong.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([]);
  });

  it.each(CHECKED_BY)('matches the row of $languages in $pages: none is obsolete', (row) => {
    const { test, blocks } = row;
    const own = BLOCKS.filter((block) => rowsOf(block).includes(row));
    expect(own.length).toBeGreaterThan(0);
    if (blocks !== undefined) expect(own).toHaveLength(blocks);
    if (test !== undefined) expect(existsSync(join(ROOT, test))).toBe(true);
  });
});

describe('every command of a page', () => {
  it('in a block exists, with its flags and values', async () => {
    const commands = BLOCKS.flatMap(commandsOfBlock);
    expect(commands.length).toBeGreaterThan(300);
    expect(present(await Promise.all(commands.map(commandProblem)))).toEqual([]);
  });

  it('has quotes around what zsh would expand', () => {
    const unquoted = [...BLOCKS.flatMap(commandsOfBlock), ...PAGES.flatMap(mentionsOf)].filter(({ text }) =>
      /\[\]|\w\?\w/u.test(text.replaceAll(/'[^']*'|"[^"]*"/gu, '')),
    );
    expect(unquoted.map(({ at, text }) => `${at}: ${text}`)).toEqual([]);
  });

  it('has no quote in its comment, because zsh would wait for the closing quote', () => {
    const lines = BLOCKS.filter(({ language }) => /^(?:sh|console)$/u.test(language)).flatMap(typedLines);
    const comments = lines.map((line) => line.slice(withoutComment(line).length).split('→')[0] ?? '');
    expect(comments.filter((comment) => /['"`]/u.test(comment))).toEqual([]);
  });

  it('in a sentence exists, with its flags', async () => {
    const mentions = PAGES.flatMap(mentionsOf);
    expect(mentions.length).toBeGreaterThan(200);
    expect(present(await Promise.all(mentions.map(mentionProblem)))).toEqual([]);
  });
});

describe('docs/triage-situations.md', () => {
  const blocks = BLOCKS.filter(({ page }) => page === 'docs/triage-situations.md');

  it('names only scripts that exist; they are not run, because they keep all processors busy for minutes', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
    const lines = blocks.flatMap((block) => (block.language === 'console' ? typedLines(block) : []));
    const missing = lines.filter((line) => {
      const [program = '', first = '', second = ''] = withoutComment(line).split(' ');
      return program === 'npm' ? scripts[second] === undefined : !existsSync(join(ROOT, first));
    });
    expect([lines.length > 5, missing]).toEqual([true, []]);
  });

  it('shows a situation of the corpus', () => {
    const flat = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();
    const example = blocks.find(({ language }) => language === 'ts')?.text ?? '';
    expect(flat(read('test/situations/families/databases.ts'))).toContain(flat(example));
  });
});
