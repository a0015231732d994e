import { ownMember } from '../../base/own-member.ts';
import { nearest } from '../../base/nearest.ts';
import type { Command } from '../../contract/command.ts';
import { COMMAND_PHRASES } from './command-phrases.ts';
import { stemWord } from './stem-word.ts';
import { canonicalStem } from './synonyms.ts';

const MAX_RESULTS = 4;
/** How much a word counts by where it appears. */
const WEIGHTS = { path: 3, phrases: 2, summary: 2, description: 0.5 } as const;
/** Saturation: a second occurrence of a word adds less than the first. */
const SATURATION = 1.2;
/** Each one is compared with all words of all commands; a text with more unknown words is not a question. */
const MAX_CORRECTIONS = 50;

/** Words of questions that say nothing about what is asked for. */
const STOP_WORDS = new Set(
  `a about all am an and any are as at be been but by can could deed did do does for from get had has have how i if im in into is it its
  just let ll make me my of on or our please should so some than that the their them then there these they this to too up us ve want was
  we were what when where which while who will with would you your`.split(/\s+/u),
);

/**
 * Orders commands by how well they fit a question. Each word counts by where it appears and by how few commands mention it; a command
 * that matches no word is left out. Without words all commands are returned.
 */
export function rankCommands(query: string, commands: readonly Command[]): readonly Command[] {
  const asked = new Set(stemsOf(query));
  if (asked.size === 0) return commands;
  const indexed = commands.map((command) => ({ command, weights: weightsOf(command) }));
  const known = new Set(indexed.flatMap(({ weights }) => [...weights.keys()]));
  const stems = knownStems(asked, known);
  const scored = indexed.map(({ command, weights }) => {
    let score = 0;
    for (const stem of stems) {
      const weight = weights.get(stem) ?? 0;
      const matching = indexed.filter((each) => each.weights.has(stem)).length;
      const rarity = Math.log(1 + (commands.length - matching + 0.5) / (matching + 0.5));
      score += rarity * (weight / (weight + SATURATION));
    }
    return { command, score: keepsFullScore(command, query) ? score : score * DANGEROUS_FACTOR };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ command }) => command);
}

/** The asked stems that commands contain, with typos corrected. */
function knownStems(asked: ReadonlySet<string>, known: ReadonlySet<string>): ReadonlySet<string> {
  const unknown = [...asked].filter((stem) => !known.has(stem)).slice(0, MAX_CORRECTIONS);
  const corrected = unknown.flatMap((stem) => correctTypo(stem, known) ?? []);
  return new Set([...asked, ...corrected].filter((stem) => known.has(stem)));
}

/** Returns the nearest known stem. A word with another first letter, or a much longer word, is a different word, not a typo. */
function correctTypo(stem: string, known: ReadonlySet<string>): string | undefined {
  if (stem.length < 6) return undefined;
  const likely = [...known].filter((each) => each[0] === stem[0] && Math.abs(each.length - stem.length) <= 2);
  return nearest(stem, likely);
}

/** Lowers the score of a command that cannot be undone, unless the question names it. */
const DANGEROUS_FACTOR = 0.6;

/** Whether a command keeps its full score: it is not dangerous, or the question contains its verb and not only a synonym of it. */
function keepsFullScore(command: Command, query: string): boolean {
  const isDangerous = (command.kind === 'write' || command.kind === 'batch') && command.gate === 'dangerous';
  if (!isDangerous) return true;
  const [, ...verb] = command.path.split(' ');
  const own = new Set(
    wordsOf(`${verb.join(' ')} ${ownMember(DANGER_WORDS, command.path) ?? ''}`).map(stemWord),
  );
  return wordsOf(query).some((word) => own.has(stemWord(word)));
}

/** Words that ask for the effect of a command that cannot be undone. */
const DANGER_WORDS: Readonly<Record<string, string>> = {
  'triage apply': 'kill terminate end execute',
};

/** The texts of a command never change, so a server reads them once. */
const readWeights = new WeakMap<Command, ReadonlyMap<string, number>>();

function weightsOf(command: Command): ReadonlyMap<string, number> {
  const known = readWeights.get(command);
  if (known !== undefined) return known;
  const weights = weighStems(command);
  readWeights.set(command, weights);
  return weights;
}

function weighStems({ path, summary, description = '' }: Command): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const stem of new Set(stemsOf(text))) weights.set(stem, (weights.get(stem) ?? 0) + weight);
  };
  add(path, WEIGHTS.path);
  add(ownMember(COMMAND_PHRASES, path) ?? '', WEIGHTS.phrases);
  add(summary, WEIGHTS.summary);
  add(description, WEIGHTS.description);
  return weights;
}

/** Splits a text into stems: words in lower case without common endings, and without the words that every question has. */
function stemsOf(text: string): string[] {
  return wordsOf(text).map(canonicalStem);
}

function wordsOf(text: string): string[] {
  const words = text
    .toLowerCase()
    .replaceAll(/['’]/gu, '')
    .replaceAll('working on', 'focus')
    .split(/[^\p{L}\p{N}]+/u);
  return words
    .map((word) => (word === 'cleanup' ? 'clean' : word))
    .filter((word) => word !== '' && !STOP_WORDS.has(word));
}
