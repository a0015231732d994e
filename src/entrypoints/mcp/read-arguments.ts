import * as z from 'zod/mini';
import { Fault } from '../../base/fault.ts';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());

const SCHEMAS = {
  find: z.strictObject({ query: text }),
  describe: z.strictObject({ command: z.string() }),
  'call-read': z.strictObject({
    command: z.string(),
    parameters: z.optional(z.record(z.string(), z.unknown())),
    fields: z.optional(z.array(z.string())),
  }),
  'call-write': z.strictObject({
    command: z.string(),
    parameters: z.optional(z.record(z.string(), z.unknown())),
    dry_run: flag,
    confirm: text,
    dangerous: flag,
    continue_on_error: flag,
    request_id: text,
  }),
};

export type ToolArguments = Partial<
  z.output<(typeof SCHEMAS)['call-write']> &
    z.output<(typeof SCHEMAS)['call-read']> &
    z.output<(typeof SCHEMAS)['find']>
>;

/** Checks what a client gave to a tool; a model reads the fault and tries again. */
export function readArguments(tool: string, given: Readonly<Record<string, unknown>>): ToolArguments {
  const schema = SCHEMAS[tool as keyof typeof SCHEMAS];
  const result = z.safeParse(schema, given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : issue?.path.join('.');
  throw new Fault('E_VALIDATION', `The arguments of ${tool} are wrong at "${field ?? ''}".`, {
    hint: `It takes ${Object.keys(schema.shape).join(', ')}.`,
    details: { field: field ?? '', allowed: Object.keys(schema.shape) },
  });
}
