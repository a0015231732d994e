import type { Command } from '../../contract/command.ts';
import { shownGlobals } from '../../contract/global-parameters.ts';
import { parametersOf, type Parameter } from '../../contract/command-parameters.ts';

/** What a completion script offers. */
export interface Choices {
  /** After a path: subcommands for a group, values and flags for a command. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  readonly values: readonly FlagValues[];
}

/** What follows a flag with a value; no words mean any text or file. */
export interface FlagValues {
  /** The command, if other commands have a flag of this name with other values. */
  readonly at?: string;
  readonly flag: string;
  readonly words: readonly string[];
}

export function listChoices(commands: readonly Command[]): Choices {
  const words = new Map<string, Set<string>>();
  for (const { path } of commands) {
    const steps = path.split(' ');
    steps.forEach((step, index) => {
      const at = steps.slice(0, index).join(' ');
      words.set(at, (words.get(at) ?? new Set()).add(step));
    });
  }
  const groups = [...words];
  words.get('')?.add('help');
  for (const [at, members] of groups) words.set(`help ${at}`.trim(), new Set(members));
  for (const command of commands) {
    const positional = parametersOf(command).find(({ position }) => position === 0);
    const flags = flagsOf(command).map(({ flag }) => flag);
    // A command may be a group too.
    const members = words.get(command.path) ?? [];
    words.set(command.path, new Set([...members, ...(positional?.allowed ?? []), ...flags]));
  }
  return {
    words: new Map([...words].map(([at, set]) => [at, [...set]])),
    values: listValues(commands),
  };
}

function flagsOf(command: Command): readonly Parameter[] {
  return [...parametersOf(command), ...shownGlobals(command)];
}

/** Lists the values of flags: once if a flag has the same values for all commands, otherwise for each command. */
function listValues(commands: readonly Command[]): readonly FlagValues[] {
  const all = commands.flatMap((command) =>
    flagsOf(command).map(({ flag, type, allowed = [] }) => ({
      at: command.path,
      flag,
      words: type === 'boolean' ? undefined : allowed,
    })),
  );
  return [...Map.groupBy(all, ({ flag }) => flag)].flatMap(([flag, uses]): FlagValues[] => {
    const [first] = uses;
    const isSame = uses.every((use) => use.words?.join(' ') === first?.words?.join(' '));
    if (isSame) return first?.words === undefined ? [] : [{ flag, words: first.words }];
    return uses.flatMap(({ at, words }) => (words === undefined ? [] : [{ at, flag, words }]));
  });
}
