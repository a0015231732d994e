import type { Command } from '../../contract/command.ts';

const MOST = 10;
/** A word in the name of a command says more about it than one in its description. */
const WEIGHTS = { path: 4, summary: 2, description: 1 } as const;

/**
 * Orders commands by how well they fit a few words. Where some hold every word, only these are meant; otherwise the best of those that
 * hold any, and a word counts the less the more commands have it, so that "a plan of items" is about plans and items.
 */
export function rankCommands(query: string, commands: readonly Command[]): readonly Command[] {
  const words = wordsOf(query);
  if (words.length === 0) return commands;
  const whole = commands.filter((command) => words.every((word) => holds(command, word) > 0));
  if (whole.length > 0) return byScore(whole, words, commands);
  return byScore(
    commands.filter((command) => words.some((word) => holds(command, word) > 0)),
    words,
    commands,
  ).slice(0, MOST);
}

function byScore(
  found: readonly Command[],
  words: readonly string[],
  all: readonly Command[],
): readonly Command[] {
  const rarity = new Map(words.map((word) => [word, 1 / all.filter((each) => holds(each, word) > 0).length]));
  const score = (command: Command): number =>
    words.reduce((sum, word) => {
      const weight = holds(command, word);
      return weight === 0 ? sum : sum + weight * (rarity.get(word) ?? 0);
    }, 0);
  return found.toSorted((a, b) => score(b) - score(a));
}

/** How strongly a command speaks of a word; zero when it does not. */
function holds({ path, summary, description = '' }: Command, word: string): number {
  const stem = stemOf(word);
  const says = (text: string): boolean => wordsOf(text).some((each) => stemOf(each) === stem);
  if (says(path)) return WEIGHTS.path;
  if (says(summary)) return WEIGHTS.summary;
  return says(description) ? WEIGHTS.description : 0;
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** "processes", "running" and "verified" are asked for where "process", "run" and "verify" stand. */
function stemOf(word: string): string {
  if (word.length <= 4) return word.replace(/s$/u, '');
  return word.replace(/(?:ies|ied)$/u, 'y').replace(/(?:([a-z])\1)?(?:ing|ed)$|(?<=[sxh])es$|s$/u, '$1');
}
