import * as z from 'zod/mini';
import { DEFAULTS_FIELDS } from '../../agent/config/config-schema.ts';
import { Fault } from '../../base/fault.ts';

const { tools: _tools, format: _format, batch: _batch, ...settings } = DEFAULTS_FIELDS;

/** Options of a built-in agent in `work.agents`: its prompt file, and settings that override those of the file. */
const OPTIONS_SCHEMA = z.strictObject({
  /** Absolute, or relative to the root of the tree. */
  file: z.string().check(z.regex(/\.ai$/u, 'must be a .ai file')),
  ...settings,
});

export type AgentOptions = z.output<typeof OPTIONS_SCHEMA>;

/** Validates the options of a built-in agent. Throws a Fault with the invalid option. */
export function checkOptions(options: Readonly<Record<string, unknown>>): AgentOptions {
  const result = z.safeParse(OPTIONS_SCHEMA, options);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : undefined;
  const field = unknown ?? (issue?.path.join('.') || 'options');
  const problem = unknown === undefined ? issue?.message : 'unknown option';
  throw new Fault('E_CONFIG', `Invalid options of a built-in agent: ${field}: ${problem}.`, {
    hint: 'Set its prompt file: {"kind":"builtin","options":{"file":"agents/fix.ai"}}; other options are session settings.',
    details: { setting: 'work.agents', field },
  });
}
