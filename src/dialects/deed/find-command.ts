import type { CommandTable } from '../../contract/command.ts';
import { GLOBAL_PARAMETERS } from '../../contract/global-parameters.ts';

export interface FoundCommand {
  /** The full path; for an incomplete command, the group or an empty string. */
  readonly path: string;
  /** The rest of the command line: flags, values, positionals. */
  readonly rest: readonly string[];
  /** The words from the first one that names no command, if the path is not one itself. */
  readonly unknown?: readonly string[];
}

const TAKES_VALUE: ReadonlySet<string> = new Set(
  Object.values(GLOBAL_PARAMETERS)
    .flat()
    .filter(({ type }) => type !== 'boolean')
    .map(({ flag }) => flag),
);

/** Finds the words of the command among the arguments; global flags may precede them. */
export function findCommand(argv: readonly string[], table: CommandTable): FoundCommand {
  const rest: string[] = [];
  let path = '';
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word.startsWith('-')) {
      if (word === '--') return { path, rest: [...rest, ...argv.slice(index)] };
      rest.push(word);
      const next = argv[index + 1];
      if (TAKES_VALUE.has(word) && next !== undefined) {
        rest.push(next);
        index += 1;
      }
      continue;
    }
    const longer = path === '' ? word : `${path} ${word}`;
    if (isPathOrGroup(longer, table)) {
      path = longer;
      continue;
    }
    const following = argv.slice(index);
    return { path, rest: [...rest, ...following], ...(!table.has(path) && { unknown: following }) };
  }
  return { path, rest };
}

function isPathOrGroup(words: string, table: CommandTable): boolean {
  return table.has(words) || table.paths.some((path) => path.startsWith(`${words} `));
}
