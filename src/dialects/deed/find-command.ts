import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import { excerpt } from '../../base/text.ts';
import type { CommandTable } from '../../contract/command.ts';
import { GLOBAL_PARAMETERS } from '../../contract/global-parameters.ts';

export interface FoundCommand {
  /** The full path; for an incomplete command, the group or an empty string. */
  readonly path: string;
  /** The rest of the command line: flags, values, positionals. */
  readonly rest: readonly string[];
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
    if (!table.has(path)) throw unknownCommand(longer, path, table);
    return { path, rest: [...rest, ...argv.slice(index)] };
  }
  return { path, rest };
}

/** The fault for a command line without a command, or with only a group. */
export function incompleteCommand(path: string, table: CommandTable): Fault {
  const allowed =
    path === '' ? table.paths : table.paths.filter((candidate) => candidate.startsWith(`${path} `));
  const message = path === '' ? 'No command.' : `"${path}" is a group, not a command.`;
  return new Fault('E_USAGE', message, {
    hint: 'Run --help for a list of commands, or "reference" for a machine-readable description.',
    details: { allowed },
  });
}

function isPathOrGroup(words: string, table: CommandTable): boolean {
  return table.has(words) || table.paths.some((path) => path.startsWith(`${words} `));
}

function unknownCommand(words: string, group: string, table: CommandTable): Fault {
  const allowed = group === '' ? table.paths : table.paths.filter((path) => path.startsWith(`${group} `));
  // Compares as many words as were passed, so that a typo in a group is found too.
  const depth = words.split(' ').length;
  const prefixes = table.paths.map((path) => path.split(' ').slice(0, depth).join(' '));
  const suggestion = nearest(words, prefixes) ?? nearest(words, table.paths);
  return new Fault('E_USAGE', `Unknown command "${excerpt(words)}".`, {
    hint: suggestion ? `Did you mean "${suggestion}"?` : 'Run --help for a list of commands.',
    details: { command: excerpt(words), ...(suggestion && { suggestion }), allowed },
  });
}
