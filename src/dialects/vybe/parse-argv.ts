import { Fault } from '../../base/fault.ts';
import { describeInexact, findInexactNumber } from '../../base/find-inexact-number.ts';
import { isDeeperThan, isPlainObject } from '../../base/json.ts';
import { LIMITS } from '../../base/limits.ts';
import type { Command } from '../../contract/command.ts';
import type { DialectHost } from '../../contract/dialect.ts';
import { parseFlags } from '../../contract/flags.ts';
import type { Invocation } from '../../contract/invocation.ts';
import { parametersOf, type Parameter } from '../../contract/command-parameters.ts';
import type { VybeCommand } from './commands.ts';

/** The size limit of a push as JSON. */
const MAX_DOCUMENT_BYTES = 1024 * 1024;
/** How long to wait for standard input. */
const STDIN_TIMEOUT_MS = 5000;

function global(name: string, type: Parameter['type'], description: string): Parameter {
  return {
    name,
    flag: `--${name.replaceAll('_', '-')}`,
    type,
    required: false,
    multiple: false,
    description,
  };
}

/** Flags that every command accepts. */
export const VYBE_GLOBALS: readonly Parameter[] = [
  global('agent', 'string', 'The name of the calling agent (or VYBE_AGENT)'),
  global('request_id', 'string', 'A unique id of this write (or VYBE_REQUEST_ID); use the same id to retry'),
  global('db_path', 'string', 'The database file (or VYBE_DB_PATH)'),
  { ...global('fields', 'string', 'Only these fields of the answer, such as id,title'), multiple: true },
];

/** The parameters of a command with their flag names in this dialect. */
export function vybeParameters(command: Command, spec: VybeCommand): readonly Parameter[] {
  if (spec.document) {
    return [{ ...global('json', 'string', 'The push as one JSON object (default: standard input)') }];
  }
  const hidden = new Set(['agent', 'db_path', ...Object.keys(spec.fixed ?? {}), ...(spec.without ?? [])]);
  return parametersOf(command)
    .filter(({ name }) => !hidden.has(name))
    .map((parameter) => {
      const { position: _, ...rest } = parameter;
      const name = spec.names?.[parameter.name] ?? parameter.name;
      return { ...rest, flag: `--${name.replaceAll('_', '-')}` };
    });
}

/** Parses the flags of a command. */
export async function parseCall(
  spec: VybeCommand,
  argv: readonly string[],
  host: DialectHost,
): Promise<Invocation> {
  assertUtf8(argv);
  const command = await host.table.load(spec.command);
  const own = vybeParameters(command, spec);
  const dryRun = global('dry_run', 'boolean', '');
  const parameters = [...own, ...VYBE_GLOBALS, ...(command.kind === 'write' ? [dryRun] : [])];
  const { values, positionals } = parseFlags(joinValues(argv, parameters, spec), parameters);
  if (positionals.length > 0) throw noPositional(positionals[0] ?? '');
  const { env } = host.system;
  const {
    agent = env.VYBE_AGENT || undefined,
    request_id,
    db_path,
    fields,
    dry_run,
    json,
    ...flags
  } = values;
  if (spec.agent === 'required' && agent === undefined) throw agentRequired();
  if (spec.command === 'events list' && flags.all !== true && agent === undefined) throw agentRequired();
  const given = spec.document ? await readDocument(json as string | undefined, host) : flags;
  const accepts = (name: string): boolean => Object.hasOwn(command.params, name);
  const params = {
    ...spec.defaults,
    ...given,
    ...spec.fixed,
    ...(agent !== undefined && accepts('agent') && { agent }),
    ...(db_path !== undefined && accepts('db_path') && { db_path }),
  };
  return {
    command,
    params,
    fields: (fields as string[] | undefined)?.map((field) => fieldOf(field, spec)),
    dryRun: dry_run === true,
    confirm: undefined,
    dangerous: true,
    continueOnError: undefined,
    requestId:
      command.kind === 'write' ? ((request_id as string) ?? (env.VYBE_REQUEST_ID || undefined)) : undefined,
    agent: agent as string | undefined,
  };
}

/** In this dialect, the rows of a list have a different name. */
function fieldOf(field: string, { rows }: VybeCommand): string {
  const [first = '', ...rest] = field.split(/(?=[.[])/u);
  return first === rows ? ['items', ...rest].join('') : field;
}

/** Joins each flag with its value, which may start with a dash, and expands one-letter flags. */
function joinValues(argv: readonly string[], parameters: readonly Parameter[], spec: VybeCommand): string[] {
  const letters: Readonly<Record<string, string>> = { agent: 'a', ...spec.letters };
  const byFlag = new Map(
    parameters.flatMap((parameter): [string, Parameter][] => {
      const letter = letters[parameter.name];
      const long: [string, Parameter] = [parameter.flag, parameter];
      return letter === undefined ? [long] : [long, [`-${letter}`, parameter]];
    }),
  );
  const words: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    const short = byFlag.get(word.slice(0, 2));
    const parameter = short ?? byFlag.get(word);
    const flag = parameter?.flag ?? word;
    const takesNext = parameter !== undefined && parameter.type !== 'boolean';
    // `-kvalue` or `-k=value`
    if (short !== undefined && word.length > 2) {
      words.push(`${flag}=${word.slice(word.charAt(2) === '=' ? 3 : 2)}`);
    } else if (takesNext && index + 1 < argv.length) {
      index += 1;
      words.push(`${flag}=${argv[index] ?? ''}`);
    } else words.push(flag);
  }
  return words;
}

async function readDocument(text: string | undefined, host: DialectHost): Promise<Record<string, unknown>> {
  const json = text ?? (await readPiped(host));
  if (Buffer.byteLength(json) > MAX_DOCUMENT_BYTES)
    throw invalid(`is larger than ${MAX_DOCUMENT_BYTES} bytes`);
  if (json.trim() === '') throw invalid('is missing: pass --json or standard input');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw invalid('is not JSON', error);
  }
  if (!isPlainObject(value)) throw invalid('is not a JSON object');
  if (isDeeperThan(value, LIMITS.inputDepth)) throw invalid('is nested too deeply');
  const inexact = findInexactNumber(json);
  if (inexact !== undefined) throw invalid(describeInexact(inexact));
  return value;
}

async function readPiped(host: DialectHost): Promise<string> {
  const bytes = await host.system.readStdin(MAX_DOCUMENT_BYTES, STDIN_TIMEOUT_MS);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw invalid('is not valid UTF-8', error);
  }
}

function invalid(problem: string, cause?: unknown): Fault {
  return new Fault('E_VALIDATION', `The JSON document ${problem}.`, {
    hint: 'Pass one JSON object, for example --json \'{"event":{"kind":"progress","message":"…"}}\'.',
    details: { field: 'json', problem },
    cause,
  });
}

function agentRequired(): Fault {
  return new Fault('E_USAGE', 'The agent name is missing.', {
    hint: 'Pass --agent or set VYBE_AGENT; use the same name for the whole session.',
    details: { field: 'agent' },
  });
}

function noPositional(word: string): Fault {
  return new Fault('E_USAGE', `Unexpected argument: "${word.slice(0, 80)}". Every value requires a flag.`, {
    hint: 'Run "vybe schema commands" to see the flags.',
    details: { argument: word.slice(0, 80) },
  });
}

/** The runtime replaces invalid UTF-8 with U+FFFD, so an argument that contains it is rejected. */
function assertUtf8(argv: readonly string[]): void {
  const index = argv.findIndex((word) => word.includes('\uFFFD') || !word.isWellFormed());
  if (index < 0) return;
  throw new Fault('E_VALIDATION', `Argument ${index + 1} is not valid UTF-8.`, {
    hint: 'Pass UTF-8.',
    details: { argument: index + 1 },
  });
}
