import { Fault } from '../base/fault.ts';
import { describeInexact, findInexactNumber } from '../base/find-inexact-number.ts';
import { isDeeperThan } from '../base/json.ts';
import { LIMITS } from '../base/limits.ts';
import { nearest, nearestFirst } from '../base/nearest.ts';
import { excerpt } from '../base/text.ts';
import type { Parameter } from './command-parameters.ts';

/** The parsed command line by parameter name; values are typed but not yet validated. */
export interface ParsedFlags {
  readonly values: Record<string, unknown>;
  readonly positionals: readonly string[];
}

/**
 * Parses flags by their parameters: `--name value`, `--name=value`, booleans bare or with `true` or `false`, plurals comma-separated,
 * repeated or both. `--` ends the flags. An unknown flag is answered with the `shown` ones: a command may parse flags that do not apply
 * to it, to reject them with the reason.
 */
export function parseFlags(
  argv: readonly string[],
  parameters: readonly Parameter[],
  shown: readonly Parameter[] = parameters,
): ParsedFlags {
  const byFlag = new Map(parameters.map((parameter) => [parameter.flag, parameter]));
  const given: Given = new Map();
  const positionals: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') {
      positionals.push(...argv.slice(index + 1));
      break;
    }
    if (!word.startsWith('--')) {
      if (word.startsWith('-') && word !== '-' && !/^-\d/u.test(word)) throw unknownFlag(word, shown);
      positionals.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const flag = equals < 0 ? word : word.slice(0, equals);
    const parameter = byFlag.get(flag);
    if (parameter === undefined) throw unknownFlag(flag, shown);
    const next = argv[index + 1];
    let value: string;
    if (equals >= 0) value = word.slice(equals + 1);
    else if (parameter.type === 'boolean') {
      const valued = next === 'true' || next === 'false';
      value = valued ? next : 'true';
      if (valued) index += 1;
    } else {
      if (next === undefined || (next.startsWith('--') && next.length > 2)) throw missingValue(parameter);
      value = next;
      index += 1;
    }
    const name = parameter.aliasOf ?? parameter.name;
    const earlier = given.get(name);
    if (earlier === undefined) given.set(name, { parameter, texts: [value] });
    else if (parameter.multiple) earlier.texts.push(value);
    else throw setTwice(parameter);
  }
  return { values: collect(given), positionals };
}

/** Parses one string as the type of its parameter. */
export function parseFlagValue(text: string, parameter: Parameter): unknown {
  switch (parameter.type) {
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true';
      throw wrongType(text, parameter, 'true or false');
    case 'integer':
      if (/^-?\d{1,15}$/u.test(text)) return Number(text);
      throw wrongType(
        text,
        parameter,
        /^-?\d+$/u.test(text) ? 'an integer of at most 15 digits' : 'an integer',
      );
    case 'number':
      if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
      throw wrongType(text, parameter, 'a number');
    case 'json':
      return readJson(text, parameter);
    case 'enum':
      if (parameter.allowed?.includes(text)) return text;
      throw notAllowed(text, parameter);
    case 'string':
      return text;
  }
}

/** Splits the values of a plural parameter at commas and removes repeats; the order is kept. */
export function readPlural(texts: readonly string[], parameter: Parameter): unknown[] {
  const parts = texts.flatMap((text) => text.split(',')).map((part) => part.trim());
  const distinct = [...new Set(parts.filter((part) => part !== ''))];
  return distinct.map((part) => parseFlagValue(part, parameter));
}

/** The values of each parameter in command-line order; an alias counts as the parameter that it sets. */
type Given = Map<string, { readonly parameter: Parameter; readonly texts: string[] }>;

function collect(given: Given): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, { parameter, texts }] of given) {
    values[name] = parameter.multiple
      ? readPlural(texts, parameter)
      : parseFlagValue(texts[0] ?? '', parameter);
  }
  return values;
}

function readJson(text: string, parameter: Parameter): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(parameter, 'is not JSON', error);
  }
  if (isDeeperThan(value, LIMITS.inputDepth)) throw notJson(parameter, 'is nested too deeply');
  const inexact = findInexactNumber(text);
  if (inexact !== undefined) throw notJson(parameter, describeInexact(inexact));
  return value;
}

function unknownFlag(flag: string, shown: readonly Parameter[]): Fault {
  const flags = nearestFirst(flag, [
    ...new Set(shown.filter(({ deprecated }) => !deprecated).map((parameter) => parameter.flag)),
  ]);
  const suggestion = nearest(flag.toLowerCase(), flags) ?? otherForm(flag, flags);
  return new Fault('E_USAGE', `Unknown flag ${excerpt(flag)}.`, {
    hint: suggestion ? `Did you mean ${suggestion}?` : `Known flags: ${flags.join(', ')}.`,
    details: { flag: excerpt(flag), ...(suggestion && { suggestion }), allowed: flags },
  });
}

/** The only flag with this first letter for a short one, and `--id` for `--task-id`. */
function otherForm(flag: string, flags: readonly string[]): string | undefined {
  if (!/^-[a-z]$/iu.test(flag)) return flags.find((known) => flag.endsWith(known.slice(1)));
  const [only, ...others] = flags.filter((known) => known.startsWith(`-${flag.toLowerCase()}`));
  return others.length === 0 ? only : undefined;
}

function missingValue(parameter: Parameter): Fault {
  return new Fault('E_USAGE', `${parameter.flag} needs a value.`, {
    hint: `Use ${parameter.flag} <${parameter.type}>, or ${parameter.flag}=<value> for a value that starts with dashes.`,
    details: { field: parameter.name, flag: parameter.flag },
  });
}

/** The fault for two values of a parameter that has one. */
export function setTwice(parameter: Parameter): Fault {
  return new Fault('E_USAGE', `${parameter.flag} is set more than once.`, {
    hint: `Pass ${parameter.flag} once.`,
    details: { field: parameter.name, flag: parameter.flag },
  });
}

function wrongType(text: string, parameter: Parameter, expected: string): Fault {
  return new Fault('E_VALIDATION', `${parameter.flag} must be ${expected}, not "${excerpt(text)}".`, {
    hint: `Pass ${expected}.`,
    details: { field: parameter.name, expected: parameter.type },
  });
}

function notAllowed(text: string, parameter: Parameter): Fault {
  const allowed = parameter.allowed ?? [];
  const suggestion = nearest(text, allowed);
  const choice = allowed.join(', ');
  return new Fault('E_VALIDATION', `${parameter.flag} must be one of ${choice}, not "${excerpt(text)}".`, {
    hint: suggestion ? `Did you mean ${suggestion}?` : `Pass one of ${choice}.`,
    details: { field: parameter.name, ...(suggestion && { suggestion }), allowed },
  });
}

/** Does not show the text: it may contain a secret that cannot be masked without parsing it. */
function notJson(parameter: Parameter, problem: string, cause?: unknown): Fault {
  return new Fault('E_VALIDATION', `${parameter.flag} ${problem}.`, {
    hint: 'Pass one JSON value.',
    details: { field: parameter.name, expected: parameter.type, problem },
    cause,
  });
}
