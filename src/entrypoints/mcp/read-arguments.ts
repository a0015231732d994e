import * as v from 'valibot';
import { record, strictObject } from '../../base/schema.ts';
import { unknownMembers } from '../../base/describe-problem.ts';
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

/** Validates the arguments of a tool; a model can read the fault and retry. */
export function readArguments(tool: string, given: Readonly<Record<string, unknown>>): ToolArguments {
  const schema = SCHEMAS[tool as keyof typeof SCHEMAS];
  const result = v.safeParse(schema, given);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const field = unknownMembers(issue)?.join(', ') ?? v.getDotPath(issue) ?? '';
  throw new Fault('E_VALIDATION', `Invalid argument of ${tool}: "${field}".`, {
    hint: `${tool} accepts ${Object.keys(schema.entries).join(', ')}.`,
    details: { field, allowed: Object.keys(schema.entries) },
  });
}
