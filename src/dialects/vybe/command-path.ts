import { ownMember } from '../../base/own-member.ts';
import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import { excerpt } from '../../base/text.ts';
import { NAMESPACES, OWN_COMMANDS, PEEK, VYBE_COMMANDS, type VybeCommand } from './commands.ts';

/** The command that a command line selects, and the remaining arguments. */
export type CommandPath =
  | {
      readonly kind: 'command';
      readonly path: string;
      readonly spec: VybeCommand;
      readonly rest: readonly string[];
    }
  | { readonly kind: 'namespace'; readonly path: string; readonly rest: readonly string[] }
  | { readonly kind: 'own'; readonly path: string; readonly rest: readonly string[] }
  | { readonly kind: 'index'; readonly rest: readonly string[] };

/** Flags with a value that may precede the command. */
const FLAGS_WITH_VALUE = new Set(['--agent', '-a', '--request-id', '--db-path']);

/** Finds the command in the arguments. Contract: throws a fault if it is unknown. */
export function parseCommandPath(argv: readonly string[]): CommandPath {
  const flags: string[] = [];
  let path = '';
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word.startsWith('-')) {
      const only = isHelp(word) ? undefined : onlyCommandOf(path);
      if (only !== undefined) return named(only, [...flags, ...argv.slice(index)], argv);
      flags.push(word);
      if (FLAGS_WITH_VALUE.has(word) && index + 1 < argv.length) {
        index += 1;
        flags.push(argv[index] ?? '');
      } else if (path !== '' && !isGroup(path))
        return named(path, [...flags, ...argv.slice(index + 1)], argv);
      continue;
    }
    const longer = path === '' ? word : `${path} ${word}`;
    if (isKnown(longer)) path = longer;
    else if (path === '' || !isCommand(path)) throw unknownCommand(longer, path);
    else return named(path, [...flags, ...argv.slice(index)], argv);
  }
  return named(path, flags, argv);
}

function named(path: string, rest: readonly string[], argv: readonly string[]): CommandPath {
  if (path === '') return { kind: 'index', rest };
  if (Object.hasOwn(OWN_COMMANDS, path)) return { kind: 'own', path, rest };
  const spec = ownMember(VYBE_COMMANDS, path);
  if (spec === undefined) return { kind: 'namespace', path, rest };
  const peeks = path === 'resume' && argv.some((word) => word === '--peek' || word === '--peek=true');
  return {
    kind: 'command',
    path,
    spec: peeks ? PEEK : spec,
    rest: peeks ? rest.filter((word) => !word.startsWith('--peek')) : rest,
  };
}

/** Newer versions of the Go program have `events --all` instead of `events list --all`; without a flag, the contract has a list of commands. */
function onlyCommandOf(path: string): string | undefined {
  if (isCommand(path)) return undefined;
  const members = allPaths().filter((known) => known.startsWith(`${path} `));
  return members.length === 1 ? members[0] : undefined;
}

export function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

function isCommand(path: string): boolean {
  return Object.hasOwn(VYBE_COMMANDS, path) || Object.hasOwn(OWN_COMMANDS, path);
}

function isGroup(path: string): boolean {
  return Object.hasOwn(NAMESPACES, path);
}

function isKnown(path: string): boolean {
  return isCommand(path) || isGroup(path);
}

/** All paths except the hook handlers, which only hosts call. */
export function allPaths(): string[] {
  const shown = Object.entries(VYBE_COMMANDS).filter(([, spec]) => !spec.hook);
  return [...shown.map(([path]) => path), ...Object.keys(OWN_COMMANDS)].sort();
}

export function topLevel(): string[] {
  return [...new Set(allPaths().map((path) => path.split(' ')[0] ?? ''))];
}

export function describePath(path: string, summaries: ReadonlyMap<string, string>): string {
  return summaries.get(path) ?? ownMember(OWN_COMMANDS, path) ?? ownMember(NAMESPACES, path) ?? '';
}

function unknownCommand(words: string, group: string): Fault {
  const allowed = group === '' ? topLevel() : allPaths().filter((path) => path.startsWith(`${group} `));
  const suggestion = nearest(words, allowed);
  return new Fault('E_USAGE', `Unknown command "${excerpt(words)}".`, {
    hint: suggestion ? `Did you mean "vybe ${suggestion}"?` : 'Run "vybe" to list the commands.',
    details: { command: excerpt(words), allowed },
  });
}
