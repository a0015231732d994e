import { posix } from 'node:path';
import { splitCommandLine } from './command-words.ts';

/** A file or folder that a command moved, or removed if it has no new name. */
export interface FileMove {
  readonly from: string;
  readonly to?: string;
}

/** Finds the files that a command line moves or removes, as absolute paths. Patterns and variables are not expanded. */
export function findMoves(line: string, folder: string): FileMove[] {
  const moves: FileMove[] = [];
  let current = folder;
  for (const { words } of splitCommandLine(line)) {
    const [program, ...others] = words[0] === 'git' ? gitWords(words) : words;
    const names = others.filter((word) => !word.startsWith('-')).map((word) => posix.resolve(current, word));
    if (program === 'cd' && names.length === 1) current = names[0] ?? current;
    if (program === 'mv') moves.push(...movesOf(names, others.at(-1)?.endsWith('/') ?? false));
    if (program === 'rm' && !others.includes('--cached')) moves.push(...names.map((from) => ({ from })));
  }
  return moves.filter(({ from, to }) => !/[*?$`]/u.test(from + (to ?? '')));
}

function gitWords(words: readonly string[]): readonly string[] {
  return words[1] === 'mv' || words[1] === 'rm' ? words.slice(1) : [];
}

function movesOf(names: readonly string[], isFolder: boolean): FileMove[] {
  const target = names.at(-1);
  if (target === undefined || names.length < 2) return [];
  const [first = ''] = names;
  // A file moved to a name without an extension is taken for a move into that folder.
  const isInto =
    isFolder ||
    names.length > 2 ||
    (posix.extname(first) !== '' && posix.extname(target) === '' && !posix.basename(first).startsWith('.'));
  return names
    .slice(0, -1)
    .map((from) => ({ from, to: isInto ? posix.join(target, posix.basename(from)) : target }));
}

/** The path of a file after a move; undefined if the move does not concern it, null if it is removed. */
export function movedPath(path: string, { from, to }: FileMove): string | null | undefined {
  if (path !== from && !path.startsWith(`${from}/`)) return undefined;
  return to === undefined ? null : `${to}${path.slice(from.length)}`;
}
