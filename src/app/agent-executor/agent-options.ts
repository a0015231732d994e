import * as v from 'valibot';
import { omit } from '../../base/omit.ts';
import { strictObject } from '../../base/schema.ts';
import { DEFAULTS_FIELDS } from '../../agent/config/config-schema.ts';
import { check, unknownMembers } from '../../base/describe-problem.ts';
import { Fault } from '../../base/fault.ts';

const settings = omit(DEFAULTS_FIELDS, 'tools', 'format', 'batch');

/** Options of a built-in agent in `work.agents`: its prompt file, and settings that override the settings of the file. */
const OPTIONS_SCHEMA = strictObject({
  /** Absolute, or relative to the root of the tree. */
  file: v.pipe(v.string(), v.regex(/\.ai$/u, 'must be a .ai file')),
  ...settings,
});

export type AgentOptions = v.InferOutput<typeof OPTIONS_SCHEMA>;

/** Validates the options of a built-in agent. Throws a Fault with the invalid option. */
export function checkOptions(options: Readonly<Record<string, unknown>>): AgentOptions {
  const result = check(OPTIONS_SCHEMA, options);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const unknown = unknownMembers(issue)?.join(', ');
  const field = unknown ?? v.getDotPath(issue) ?? 'options';
  const problem = unknown === undefined ? issue.message : 'unknown option';
  throw new Fault('E_CONFIG', `Invalid options of a built-in agent: ${field}: ${problem}.`, {
    hint: 'Set its prompt file: {"kind":"builtin","options":{"file":"agents/fix.ai"}}; other options are session settings.',
    details: { setting: 'work.agents', field },
  });
}
