import * as z from 'zod/mini';
import { DEFAULTS_FIELDS } from '../config/config-schema.ts';
import { OUTPUT_FORMATS } from '../session-config.ts';

/** A list, or one comma-separated string. */
const names = () => z.union([z.string(), z.array(z.string())]);

const { models: _models, tools: _tools, format: _format, ...limits } = DEFAULTS_FIELDS;

/** The frontmatter of a prompt file. Strict, because a misspelled limit would be silently ignored. */
export const FRONTMATTER_SCHEMA = z.strictObject({
  ...limits,
  description: z.optional(z.string()),
  usage: z.optional(z.string()),
  /** The name by which other agents call this one. */
  toolName: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{1,50}$/u))),
  input: z.optional(
    z.strictObject({
      format: z.optional(z.enum(['text', 'json'])),
      schema: z.optional(z.record(z.string(), z.unknown())),
    }),
  ),
  output: z.optional(
    z.strictObject({
      format: z.optional(z.enum(OUTPUT_FORMATS)),
      schema: z.optional(z.record(z.string(), z.unknown())),
    }),
  ),
  models: z.optional(names()),
  tools: z.optional(names()),
  agents: z.optional(names()),
});

export type Frontmatter = z.output<typeof FRONTMATTER_SCHEMA>;

/** Parses a list or a comma-separated string. */
export function splitNames(value: string | readonly string[] | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const parts = typeof value === 'string' ? value.split(',') : value;
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
