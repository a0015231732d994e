import { Fault } from '../../base/fault.ts';
import { excerpt } from '../../base/text.ts';
import type { CommandTable } from '../../contract/command.ts';
import { GLOBAL_PARAMETERS } from '../../contract/global-parameters.ts';
import { suggestCommand } from '../../contract/suggest-command.ts';

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
    if (!table.has(path)) throw unknownCommand(path, argv.slice(index), table);
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

function unknownCommand(group: string, rest: readonly string[], table: CommandTable): Fault {
  const [word = ''] = rest;
  const words = group === '' ? word : `${group} ${word}`;
  const allowed = group === '' ? table.paths : table.paths.filter((path) => path.startsWith(`${group} `));
  const end = rest.findIndex((part) => part.startsWith('-'));
  const following = rest.slice(0, Math.min(end < 0 ? rest.length : end, MOST_WORDS));
  const suggestion =
    flagNamed(words) ??
    suggestCommand(
      [...group.split(' '), ...following].filter((part) => part !== ''),
      table.paths,
    );
  return new Fault('E_USAGE', `Unknown command "${excerpt(words)}".`, {
    hint: suggestion ? `Did you mean "${suggestion}"?` : 'Run --help for a list of commands.',
    details: { command: excerpt(words), ...(suggestion && { suggestion }), allowed },
  });
}

/** More words than any command has. */
const MOST_WORDS = 4;

/** `version` without its dashes. */
function flagNamed(word: string): string | undefined {
  return GLOBAL_PARAMETERS.every_command.find(({ name }) => name === word)?.flag;
}
