import { oncePer } from '../../base/once-per.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import { programNames, type ProgramNames } from './program-names.ts';

/**
 * The kind of a program, for the decision whether it may be acted on automatically.
 * - owner_bound: it serves only the process that started it, so it is useless without that process;
 * - helper: it is killed together with an owner-bound parent, and never on its own;
 * - never: it is never acted on automatically.
 */
export interface Kind {
  readonly name: string;
  readonly role: 'owner_bound' | 'helper' | 'never';
  /** With an article, for messages: "an editor". */
  readonly words: string;
}

export type FindKind = (command: readonly string[] | null, comm: string) => Kind | undefined;

const ORDER = { never: 0, owner_bound: 1, helper: 2 } as const;

/** Rules of the role `never` are checked first. */
const compileRules = oncePer((kinds: Parameters['kinds']) =>
  kinds
    .map(({ name, role, words, program, argument, except, executable }) => ({
      kind: { name, role, words },
      program: whole(program),
      argument: argument === undefined ? undefined : whole(argument),
      except: except === undefined ? undefined : whole(except),
      executable: executable === undefined ? undefined : whole(executable),
    }))
    .toSorted((left, right) => ORDER[left.kind.role] - ORDER[right.kind.role]),
);

/** Creates a function that finds the kind of a program by its names. It caches its results, so it is for one snapshot. */
export function createKindFinder({ kinds }: Pick<Parameters, 'kinds'>): FindKind {
  const rules = compileRules(kinds);
  const known = new Map<string, Kind | undefined>();
  const find = ({ program, names, args, executable: path }: ProgramNames): Kind | undefined =>
    rules.find(({ program: pattern, argument, except, executable }) => {
      const has = (wanted: RegExp): boolean =>
        args.some((arg) => wanted.test(arg.slice(0, MATCHED_CHARACTERS)));
      const isNamed = (known: readonly string[]): boolean =>
        known.some((name) => pattern.test(name.slice(0, MATCHED_CHARACTERS)));
      if (except !== undefined && has(except)) return false;
      if (executable?.test(path.slice(0, MATCHED_CHARACTERS)) === false) return false;
      return argument === undefined ? isNamed(names) : isNamed([program, ...names]) && has(argument);
    })?.kind;
  return (command, comm) => {
    const key = command === null || command.length === 0 ? comm : command.join('\0');
    if (!known.has(key)) known.set(key, find(programNames(command, comm)));
    return known.get(key);
  };
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 'u');
}

/** Limits the cost of patterns on untrusted text. */
const MATCHED_CHARACTERS = 200;
