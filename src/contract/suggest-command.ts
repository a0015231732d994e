import { nearest } from '../base/nearest.ts';

/** What other programs call the last word of a command; the words of a line mean the same. */
const SAME_MEANING = [
  'list ls all',
  'get show view describe info read cat',
  'create add new',
  'set save put store add remember',
  'delete remove rm del drop',
  'complete done finish close resolve',
  'begin start claim',
  'run start execute exec',
  'cancel stop abort kill',
  'edit update modify change rename',
  'search find grep query',
  'log logs output',
  'undo revert rollback',
];

/** Finds the command that an unknown command line most likely means: after a typo, under another name, or with its words swapped. */
export function suggestCommand(words: readonly string[], paths: readonly string[]): string | undefined {
  const [first = '', second] = words;
  const [only, ...others] = paths.filter((path) => path.split(' ').at(-1) === first);
  return (
    descend(words, paths) ??
    (second === undefined ? undefined : descend([second, first, ...words.slice(2)], paths)) ??
    // `approve` alone means the only command with this name.
    (others.length === 0 ? only : undefined) ??
    nearest(words.join(' '), paths)
  );
}

/** Follows the words from group to group. The answer is a group if the words end there. */
function descend(words: readonly string[], paths: readonly string[]): string | undefined {
  let found = '';
  for (const word of words) {
    const next = likelyWord(word, nextWords(found, paths));
    if (next === undefined) return undefined;
    found = found === '' ? next : `${found} ${next}`;
    if (paths.includes(found)) return found;
  }
  return found === '' ? undefined : found;
}

function nextWords(group: string, paths: readonly string[]): string[] {
  const start = group === '' ? '' : `${group} `;
  const rest = paths.filter((path) => path.startsWith(start)).map((path) => path.slice(start.length));
  return [...new Set(rest.map((path) => path.split(' ')[0] ?? ''))];
}

function likelyWord(word: string, known: readonly string[]): string | undefined {
  return known.includes(word) ? word : (sameMeaning(word, known) ?? nearest(word, known));
}

function sameMeaning(word: string, known: readonly string[]): string | undefined {
  const meanings = SAME_MEANING.map((line) => line.split(' ')).filter((line) => line.includes(word));
  return meanings.flat().find((other) => known.includes(other));
}
