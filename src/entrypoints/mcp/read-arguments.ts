import * as v from 'valibot';
import { record, strictObject } from '../../base/schema.ts';
import { check, expectedType, unknownMembers } from '../../base/describe-problem.ts';
import { Fault } from '../../base/fault.ts';

const text = v.optional(v.string());
const flag = v.optional(v.boolean());

const SCHEMAS = {
  find: strictObject({ query: text }),
  describe: strictObject({ command: v.string() }),
  'call-read': strictObject({
    command: v.string(),
    parameters: v.optional(record(v.unknown())),
    fields: v.optional(v.array(v.string())),
  }),
  'call-write': strictObject({
    command: v.string(),
    parameters: v.optional(record(v.unknown())),
    fields: v.optional(v.array(v.string())),
    dry_run: flag,
    confirm: text,
    dangerous: flag,
    continue_on_error: flag,
    request_id: text,
  }),
};

export type ToolArguments = Partial<
  v.InferOutput<(typeof SCHEMAS)['call-write']> &
    v.InferOutput<(typeof SCHEMAS)['call-read']> &
    v.InferOutput<(typeof SCHEMAS)['find']>
>;

/** Validates the arguments of a tool; a model can read the fault and retry. Models often write the name of the program before a command. */
export function readArguments(
  tool: string,
  given: Readonly<Record<string, unknown>>,
  program: string,
): ToolArguments {
  const schema = SCHEMAS[tool as keyof typeof SCHEMAS];
  const result = check(schema, given);
  if (result.success) {
    const read: ToolArguments = result.output;
    const [first, ...words] = read.command?.trim().split(/\s+/u) ?? [];
    return first === program && words.length > 0 ? { ...read, command: words.join(' ') } : read;
  }
  const [issue] = result.issues;
  const unknown = unknownMembers(issue)?.join(', ');
  const field = unknown ?? v.getDotPath(issue) ?? '';
  const type = expectedType(issue);
  const problem = unknown !== undefined || type === undefined ? '' : ` ${describe(type, issue.input)}`;
  throw new Fault('E_VALIDATION', `Invalid argument of ${tool}: "${field}"${problem}.`, {
    hint: `${tool} accepts ${Object.keys(schema.entries).join(', ')}.${'parameters' in schema.entries ? ' Parameters of the command belong in parameters.' : ''}`,
    details: { field, allowed: Object.keys(schema.entries) },
  });
}

function describe(type: string, input: unknown): string {
  return input === undefined ? 'is required' : `must be of type ${type === 'record' ? 'object' : type}`;
}
