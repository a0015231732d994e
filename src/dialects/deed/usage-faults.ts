import { Fault } from '../../base/fault.ts';
import { excerpt } from '../../base/text.ts';
import type { Parameter } from '../../contract/command-parameters.ts';
import type { CommandTable } from '../../contract/command.ts';
import { GLOBAL_PARAMETERS } from '../../contract/global-parameters.ts';
import { suggestCommand } from '../../contract/suggest-command.ts';

/** The fault for words that name no command, with the command that was most likely meant. */
export function unknownCommand(group: string, rest: readonly string[], table: CommandTable): Fault {
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

/** The fault for a positional argument that a command does not accept. */
export function unexpectedArgument(path: string, parameters: readonly Parameter[], argument: string): Fault {
  const places = parameters.filter(({ position }) => position !== undefined).length;
  const flags = flagsOf(parameters);
  const accepted =
    places > 0
      ? `at most ${places} positional arguments`
      : `only flags${flags.length === 0 ? '' : `: ${flags.join(', ')}`}`;
  return new Fault('E_USAGE', `"${path}" does not accept the argument "${argument}".`, {
    hint: argument === '#' ? COMMENT_HINT : `It accepts ${accepted}.`,
    details: { argument, allowed: flags },
  });
}

/** The flags of a command itself; a caller without them needs the required ones first. */
function flagsOf(parameters: readonly Parameter[]): string[] {
  const shown = parameters.filter(({ deprecated }) => deprecated !== true);
  return shown.toSorted((a, b) => Number(b.required) - Number(a.required)).map(({ flag }) => flag);
}

/** At its prompt, zsh passes a comment on as arguments, for example a comment that was copied from a page. */
const COMMENT_HINT = 'Leave out the comment, or allow comments in zsh: setopt interactivecomments';
