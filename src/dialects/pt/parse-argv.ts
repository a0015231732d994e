import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import { excerpt } from '../../base/text.ts';
import type { Command } from '../../contract/command.ts';
import type { DialectHost } from '../../contract/dialect.ts';
import { parseFlags } from '../../contract/flags.ts';
import type { Invocation } from '../../contract/invocation.ts';
import { listFields } from '../../contract/output-fields.ts';
import { parametersOf, type Parameter } from '../../contract/command-parameters.ts';
import { outputOf } from '../../contract/shape-reply.ts';

function flag(
  name: string,
  type: Parameter['type'],
  description: string,
  more: Partial<Parameter> = {},
): Parameter {
  return { name, flag: `--${name}`, type, required: false, multiple: false, description, ...more };
}

/** Flags of all commands of this executable, in addition to their parameters. */
const GLOBAL_FLAGS: readonly Parameter[] = [
  flag('format', 'enum', 'json, prose (json with a prose summary), or html for a report', {
    allowed: ['json', 'prose', 'html'],
    defaultValue: 'json',
  }),
  flag('compact', 'boolean', 'Minimal output (default)'),
  flag('fields', 'string', 'Only these fields of each candidate', { multiple: true }),
];

const FOR_APPLY: readonly Parameter[] = [
  flag('yes', 'boolean', 'Approve the plan and execute it; without this, apply only shows a preview'),
];

/** Returns all flags of a command. */
export function ptParameters(command: Command): readonly Parameter[] {
  return [...parametersOf(command), ...GLOBAL_FLAGS, ...(command.path === 'triage apply' ? FOR_APPLY : [])];
}

/** Returns the verbs after `pt agent`. */
export function verbsOf({ table }: Pick<DialectHost, 'table'>): readonly string[] {
  return table.paths.map((path) => path.replace(/^triage /u, ''));
}

/** Finds the verb of a command line; undefined if there is no verb. Contract: throws a fault for an unknown word. */
export function readVerb(
  argv: readonly string[],
  host: DialectHost,
): { verb: string; rest: readonly string[] } | undefined {
  const [first, second, ...rest] = argv;
  if (first === undefined || first.startsWith('-')) return undefined;
  if (first !== 'agent') throw unknownWord(first, ['agent']);
  if (second === undefined || second.startsWith('-')) return undefined;
  const verbs = verbsOf(host);
  if (!verbs.includes(second)) throw unknownWord(second, verbs);
  return { verb: second, rest };
}

/** Parses the arguments after a verb. */
export async function parseCall(
  verb: string,
  argv: readonly string[],
  host: DialectHost,
): Promise<Invocation> {
  const command = await host.table.load(`triage ${verb}`);
  const { values, positionals } = parseFlags(argv, ptParameters(command));
  const { format, compact, fields, yes, ...flags } = values;
  if (format === 'html' && verb !== 'report')
    throw new Fault('E_USAGE', '--format html is available only for report.', {
      details: { flag: '--format' },
    });
  if (compact === true && flags.verbose === true)
    throw new Fault('E_USAGE', '--compact and --verbose cannot be combined.', {
      details: { flag: '--compact' },
    });
  const [position] = command.positionals ?? [];
  if (positionals.length > 0 && position === undefined) throw unexpected(positionals[0] ?? '');
  const params = {
    ...flags,
    ...(position !== undefined && positionals.length > 0 && { [position]: positionals }),
    ...(format === 'prose' && Object.hasOwn(command.params, 'include_prose') && { include_prose: true }),
  };
  return {
    command,
    params,
    fields: fields === undefined ? undefined : chosenFields(command, fields as readonly string[]),
    dryRun: command.kind === 'write' && yes !== true && !resumesApproved(flags),
    confirm: undefined,
    dangerous: true,
    continueOnError: undefined,
    requestId: undefined,
  };
}

/** Flags that change the approved actions or limits. */
const CHOICES = [
  'recommended',
  'targets',
  'min_posterior',
  'max_blast_radius',
  'max_kills',
  'require_known_signature',
  'uid',
];

/** A resumed apply needs no second approval, unless it changes the approved actions or limits. */
function resumesApproved(flags: Readonly<Record<string, unknown>>): boolean {
  return flags.resume === true && !CHOICES.some((name) => flags[name] !== undefined);
}

/** `--fields` selects fields of candidates if the command has candidates, and keeps all other members; otherwise it selects top-level fields. */
function chosenFields(command: Command, fields: readonly string[]): readonly string[] {
  const known = listFields(outputOf(command));
  if (!known.includes('candidates')) return fields;
  const others = known.filter(
    (field) => !/[.[]/u.test(field) && field !== 'candidates' && field !== '_untrusted',
  );
  return [...others, ...fields.map((field) => `candidates[].${field}`)];
}

function unknownWord(word: string, allowed: readonly string[]): Fault {
  const suggestion = nearest(word, allowed);
  return new Fault('E_USAGE', `Unknown command "${excerpt(word)}".`, {
    hint: suggestion ? `Did you mean "${suggestion}"?` : `Known here: ${allowed.join(', ')}.`,
    details: { command: excerpt(word), allowed },
  });
}

function unexpected(word: string): Fault {
  return new Fault('E_USAGE', `Unexpected argument "${excerpt(word)}".`, {
    hint: 'Every value needs a flag; see --help.',
    details: { argument: excerpt(word) },
  });
}
