import { effectOf, type Command } from './command.ts';
import type { Parameter } from './command-parameters.ts';

function flag(
  name: string,
  type: Parameter['type'],
  description: string,
  extra: Partial<Parameter> = {},
): Parameter {
  const flagText = `--${name.replaceAll('_', '-')}`;
  return { name, flag: flagText, type, required: false, multiple: false, description, ...extra };
}

const EVERYWHERE: readonly Parameter[] = [
  flag('format', 'enum', 'Output format; text is for people, raw is verbatim bytes', {
    allowed: ['json', 'text', 'raw'],
    defaultValue: 'json',
  }),
  flag('json', 'boolean', 'Same as --format json', { deprecated: true }),
  flag('compact', 'boolean', 'JSON without white space'),
  flag('quiet', 'boolean', 'No progress on standard error; errors are still shown'),
  flag('input', 'string', 'Parameters as JSON: @file, - for standard input, or the text itself'),
  flag('help', 'boolean', 'Help for people'),
  flag('version', 'boolean', 'The version of this tool'),
];

const FOR_QUERIES: readonly Parameter[] = [
  flag('fields', 'string', 'Only these fields: names, dotted paths, items[].name', { multiple: true }),
];

const FOR_WRITES: readonly Parameter[] = [
  flag('dry_run', 'boolean', 'Change nothing; show the preview and give a confirm token'),
  flag('confirm', 'string', 'The confirm_token of the dry run'),
  flag('request_id', 'string', 'Your id for this write; a retry with the same id never writes twice'),
  flag('idempotency_key', 'string', 'Same as --request-id', { aliasOf: 'request_id' }),
];

const FOR_DANGEROUS: readonly Parameter[] = [
  flag('dangerous', 'boolean', 'Says that you mean it: this cannot be undone'),
];

const FOR_BATCHES: readonly Parameter[] = [
  flag('continue_on_error', 'boolean', 'Go on after a failed target', { defaultValue: true }),
];

/** All flags that are not a command's own, with the commands they are for. */
export const GLOBAL_PARAMETERS = {
  every_command: EVERYWHERE,
  queries: FOR_QUERIES,
  writes: FOR_WRITES,
  dangerous: FOR_DANGEROUS,
  batches: FOR_BATCHES,
} as const;

/** The flags a command takes besides its own. All write and query flags are known everywhere; whether they fit is judged later. */
export function globalParametersFor(command: Command): readonly Parameter[] {
  const dangerous = (command.kind === 'write' || command.kind === 'batch') && command.gate === 'dangerous';
  return [
    ...EVERYWHERE,
    ...FOR_QUERIES,
    ...FOR_WRITES,
    ...(dangerous ? FOR_DANGEROUS : []),
    ...(command.kind === 'batch' ? FOR_BATCHES : []),
  ];
}

/** The flags that fit a command, deprecated ones included: no others are described to programs. */
export function fittingGlobals(command: Command): readonly Parameter[] {
  const misplaced: readonly Parameter[] = effectOf(command) === 'read' ? FOR_WRITES : FOR_QUERIES;
  return globalParametersFor(command).filter(
    (parameter) =>
      !misplaced.includes(parameter) && !(command.kind === 'exempt' && parameter.name === 'confirm'),
  );
}

/** The flags that a person should be shown, for help and completion. */
export function usefulGlobals(command: Command): readonly Parameter[] {
  return fittingGlobals(command).filter(({ deprecated }) => !deprecated);
}
