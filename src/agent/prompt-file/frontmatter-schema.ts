import * as z from 'zod/mini';
import { DEFAULTS_FIELDS } from '../config/config-schema.ts';
import { OUTPUT_FORMATS } from '../session-config.ts';

/** A list may be written as one text with commas. */
const names = () => z.union([z.string(), z.array(z.string())]);

const { models: _models, tools: _tools, format: _format, ...limits } = DEFAULTS_FIELDS;

/** The head of a prompt file. Strict: a limit with a typo in its name would not hold. */
export const FRONTMATTER_SCHEMA = z.strictObject({
  ...limits,
  description: z.optional(z.string()),
  usage: z.optional(z.string()),
  /** The name under which other agents call this one. */
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

/** Reads a list that may be one text with commas. */
export function splitNames(value: string | readonly string[] | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const parts = typeof value === 'string' ? value.split(',') : value;
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
