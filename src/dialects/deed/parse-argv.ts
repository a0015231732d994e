import { Fault } from '../../base/fault.ts';
import type { Command } from '../../contract/command.ts';
import type { DialectHost } from '../../contract/dialect.ts';
import { parseFlags, readPlural, parseFlagValue } from '../../contract/flags.ts';
import {
  applicableGlobals,
  GLOBAL_PARAMETERS,
  globalParametersFor,
} from '../../contract/global-parameters.ts';
import type { Invocation } from '../../contract/invocation.ts';
import { parametersOf, type Parameter } from '../../contract/command-parameters.ts';
import { findCommand } from './find-command.ts';
import { asksForHelp, isOn, requestedFormats } from './output-options.ts';
import { readInput } from './read-input.ts';
import { versionCommand } from './version.ts';

/** Parses a command line of the machine contract. */
export async function parseArgv(
  argv: readonly string[],
  host: Pick<DialectHost, 'table' | 'system'>,
): Promise<Invocation> {
  assertUtf8(argv);
  assertOneFormat(argv);
  if (argv[0] === 'help' && !host.table.has('help')) return invoke(await loadHelp(argv.slice(1)), {}, {});
  const { path, rest, unknown } = findCommand(argv, host.table);
  // Loaded only for errors: an ordinary start does not need it.
  if (unknown) throw (await import('./usage-faults.ts')).unknownCommand(path, unknown, host.table);
  if (isOn(rest, '--version')) return invoke(versionCommand(), {}, {});
  if (asksForHelp(rest)) return invoke((await import('./help.ts')).helpCommand(path), {}, {});
  if (path === '' && !rest.includes('--') && host.table.has(OVERVIEW)) return parseOverview(rest, host);
  if (!host.table.has(path)) {
    parseFlags(rest, Object.values(GLOBAL_PARAMETERS).flat());
    throw (await import('./usage-faults.ts')).incompleteCommand(path, host.table);
  }
  const command = await host.table.load(path);
  const own = parametersOf(command);
  const globals = globalParametersFor(command);
  const { values, positionals } = parseFlags(
    rest,
    [...own, ...globals],
    [...own, ...applicableGlobals(command)],
  );
  const isGlobal = new Set(globals.map(({ aliasOf, name }) => aliasOf ?? name));
  const options = Object.fromEntries(Object.entries(values).filter(([name]) => isGlobal.has(name)));
  const flags = Object.fromEntries(Object.entries(values).filter(([name]) => !isGlobal.has(name)));
  if (options.format === 'raw' && !('renderRaw' in command)) throw noRaw(command);
  const placed = await placePositionals(command, own, positionals);
  const input = typeof options.input === 'string' ? await readInput(options.input, host.system) : {};
  return invoke(command, merge([flags, placed, input]), options);
}

/** A call without a command shows the overview of a tool that has one. */
const OVERVIEW = 'overview';

async function parseOverview(
  rest: readonly string[],
  host: Pick<DialectHost, 'table' | 'system'>,
): Promise<Invocation> {
  return parseArgv([OVERVIEW, ...rest], host);
}

/** `help task create` is the same as `task create --help`. */
async function loadHelp(words: readonly string[]): Promise<Command> {
  const path = words.filter((word) => !word.startsWith('-') && word !== 'text' && word !== 'json').join(' ');
  return (await import('./help.ts')).helpCommand(path);
}

function invoke(
  command: Command,
  params: Record<string, unknown>,
  options: Readonly<Record<string, unknown>>,
): Invocation {
  return {
    command,
    params,
    fields: options.fields as readonly string[] | undefined,
    dryRun: options.dry_run === true,
    confirm: options.confirm as string | undefined,
    dangerous: options.dangerous === true,
    continueOnError: options.continue_on_error as boolean | undefined,
    requestId: options.request_id as string | undefined,
  };
}

async function placePositionals(
  command: Command,
  parameters: readonly Parameter[],
  positionals: readonly string[],
): Promise<Record<string, unknown>> {
  const placed: Record<string, unknown> = {};
  const places = parameters.filter(({ position }) => position !== undefined);
  places.sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  let taken = 0;
  for (const parameter of places) {
    const word = positionals[taken];
    if (word === undefined) break;
    placed[parameter.name] = parameter.multiple
      ? readPlural(positionals.slice(taken), parameter)
      : parseFlagValue(word, parameter);
    taken = parameter.multiple ? positionals.length : taken + 1;
  }
  if (taken < positionals.length) {
    const { unexpectedArgument } = await import('./usage-faults.ts');
    throw unexpectedArgument(command.path, parameters, positionals[taken] ?? '');
  }
  return placed;
}

function noRaw(command: Command): Fault {
  return new Fault('E_VALIDATION', `"${command.path}" has no raw format.`, {
    hint: 'Use --format json or --format text.',
    details: { field: 'format', allowed: ['json', 'text'] },
  });
}

function assertOneFormat(argv: readonly string[]): void {
  const formats = requestedFormats(argv);
  if (formats.length < 2) return;
  throw new Fault('E_USAGE', `The formats ${formats.join(' and ')} contradict each other.`, {
    hint: 'Pass one --format; --json is the same as --format json.',
    details: { field: 'format', given: formats },
  });
}

/** A parameter that is set in two ways is ambiguous, so it is rejected. */
function merge(sources: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const [name, value] of sources.flatMap((source) => Object.entries(source))) {
    if (Object.hasOwn(merged, name)) {
      throw new Fault('E_USAGE', `"${name}" is set more than once: as a flag, by position or in --input.`, {
        hint: 'Pass each parameter once.',
        details: { field: name },
      });
    }
    Object.defineProperty(merged, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return merged;
}

/** The runtime replaces bytes that are not UTF-8 with U+FFFD, so such an argument is not what the caller passed. */
function assertUtf8(argv: readonly string[]): void {
  const index = argv.findIndex((word) => word.includes('\uFFFD') || !word.isWellFormed());
  if (index < 0) return;
  throw new Fault('E_VALIDATION', `Argument ${index + 1} is not valid UTF-8.`, {
    hint: 'Use UTF-8, or pass the parameters through --input.',
    details: { argument: index + 1 },
  });
}
