import * as z from 'zod/mini';
import { DEFAULTS_FIELDS } from '../../agent/config/config-schema.ts';
import { Fault } from '../../base/fault.ts';

const { tools: _tools, format: _format, batch: _batch, ...settings } = DEFAULTS_FIELDS;

/** What `work.agents` may say of a built-in agent: its prompt file, and settings above those of the file. */
const OPTIONS_SCHEMA = z.strictObject({
  /** Relative to the root of the tree, or absolute. */
  file: z.string().check(z.regex(/\.ai$/u, 'must be a file that ends in .ai')),
  ...settings,
});

export type AgentOptions = z.output<typeof OPTIONS_SCHEMA>;

/** Checks the options of a built-in agent; what is wrong is told by its name. */
export function checkOptions(options: Readonly<Record<string, unknown>>): AgentOptions {
  const result = z.safeParse(OPTIONS_SCHEMA, options);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : undefined;
  const field = unknown ?? (issue?.path.join('.') || 'options');
  const problem = unknown === undefined ? issue?.message : 'there is no such option';
  throw new Fault('E_CONFIG', `A built-in agent is not configured well: ${field}: ${problem}.`, {
    hint: 'Give it a prompt file: {"kind":"builtin","options":{"file":"agents/fix.ai"}}; other options are settings of its session.',
    details: { setting: 'work.agents', field },
  });
}
