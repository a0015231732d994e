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

const GLOBAL_FLAGS: readonly Parameter[] = [
  flag('format', 'enum', 'Output format; text is human-readable, raw is verbatim bytes', {
    allowed: ['json', 'text', 'raw'],
    defaultValue: 'json',
  }),
  flag('json', 'boolean', 'Same as --format json', { deprecated: true }),
  flag('compact', 'boolean', 'JSON without whitespace'),
  flag('quiet', 'boolean', 'No progress on standard error; errors are still shown'),
  flag('input', 'string', 'Parameters as JSON: @file, - for standard input, or the JSON text'),
  flag('help', 'boolean', 'Show help'),
  flag('version', 'boolean', 'Show the version of this tool'),
];

const FIELDS = flag('fields', 'string', 'Only these fields: names, dotted paths, items[].name', {
  multiple: true,
});

const FOR_WRITES: readonly Parameter[] = [
  flag('dry_run', 'boolean', 'Change nothing; show the preview and issue a confirm token'),
  flag('confirm', 'string', 'The confirm_token of the dry run'),
  flag('request_id', 'string', 'Your id for this write; a retry with the same id never writes twice'),
  flag('idempotency_key', 'string', 'Same as --request-id', { aliasOf: 'request_id' }),
];

const FOR_DANGEROUS: readonly Parameter[] = [
  flag('dangerous', 'boolean', 'Confirm a command that cannot be undone'),
];

const FOR_BATCHES: readonly Parameter[] = [
  flag('continue_on_error', 'boolean', 'Continue after a failed target', { defaultValue: true }),
];

/** All global flags, grouped by the commands they apply to. */
export const GLOBAL_PARAMETERS = {
  every_command: GLOBAL_FLAGS,
  queries: [FIELDS],
  writes: [...FOR_WRITES, FIELDS],
  dangerous: FOR_DANGEROUS,
  batches: FOR_BATCHES,
} as const;

/** The flags a command parses besides its own. The flags of writes are parsed everywhere; whether they apply is checked later. */
export function globalParametersFor(command: Command): readonly Parameter[] {
  const dangerous = (command.kind === 'write' || command.kind === 'batch') && command.gate === 'dangerous';
  return [
    ...GLOBAL_FLAGS,
    FIELDS,
    ...FOR_WRITES,
    ...(dangerous ? FOR_DANGEROUS : []),
    ...(command.kind === 'batch' ? FOR_BATCHES : []),
  ];
}

/** The global flags that apply to a command, including deprecated flags. Programs get this list. */
export function applicableGlobals(command: Command): readonly Parameter[] {
  const inapplicable = effectOf(command) === 'read' ? FOR_WRITES : [];
  return globalParametersFor(command).filter(
    (parameter) =>
      !inapplicable.includes(parameter) && !(command.kind === 'exempt' && parameter.name === 'confirm'),
  );
}

/** The global flags for help and completion. */
export function shownGlobals(command: Command): readonly Parameter[] {
  return applicableGlobals(command).filter(({ deprecated }) => !deprecated);
}
