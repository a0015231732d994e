import type { Command } from '../../contract/command.ts';

const MAX_RESULTS = 10;
/** A match in the name of a command weighs more than one in its description. */
const WEIGHTS = { path: 4, summary: 2, description: 1 } as const;

/**
 * Orders commands by how well they match a query. If some contain every word, only these are returned; otherwise the best of those
 * with any word. A word weighs less the more commands contain it, so that "a plan of items" is about plans and items.
 */
export function rankCommands(query: string, commands: readonly Command[]): readonly Command[] {
  const words = wordsOf(query);
  if (words.length === 0) return commands;
  const complete = commands.filter((command) => words.every((word) => weightOf(command, word) > 0));
  if (complete.length > 0) return byScore(complete, words, commands);
  return byScore(
    commands.filter((command) => words.some((word) => weightOf(command, word) > 0)),
    words,
    commands,
  ).slice(0, MAX_RESULTS);
}

function byScore(
  found: readonly Command[],
  words: readonly string[],
  all: readonly Command[],
): readonly Command[] {
  const rarity = new Map(
    words.map((word) => [word, 1 / all.filter((each) => weightOf(each, word) > 0).length]),
  );
  const score = (command: Command): number =>
    words.reduce((sum, word) => {
      const weight = weightOf(command, word);
      return weight === 0 ? sum : sum + weight * (rarity.get(word) ?? 0);
    }, 0);
  return found.toSorted((a, b) => score(b) - score(a));
}

/** The weight of a word in a command; zero without a match. */
function weightOf({ path, summary, description = '' }: Command, word: string): number {
  const stem = stemOf(word);
  const contains = (text: string): boolean => wordsOf(text).some((each) => stemOf(each) === stem);
  if (contains(path)) return WEIGHTS.path;
  if (contains(summary)) return WEIGHTS.summary;
  return contains(description) ? WEIGHTS.description : 0;
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** "processes", "running" and "verified" match "process", "run" and "verify". */
function stemOf(word: string): string {
  if (word.length <= 4) return word.replace(/s$/u, '');
  return word.replace(/(?:ies|ied)$/u, 'y').replace(/(?:([a-z])\1)?(?:ing|ed)$|(?<=[sxh])es$|s$/u, '$1');
}
