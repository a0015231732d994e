import * as v from 'valibot';
import { omit } from '../../base/omit.ts';
import { record, strictObject } from '../../base/schema.ts';
import { DEFAULTS_FIELDS } from '../config/config-schema.ts';
import { OUTPUT_FORMATS } from '../session-config.ts';

/** A list, or one comma-separated string. */
const names = () => v.union([v.string(), v.array(v.string())]);

const limits = omit(DEFAULTS_FIELDS, 'models', 'tools', 'format');

/** The frontmatter of a prompt file. Strict, because a misspelled limit would be silently ignored. */
export const FRONTMATTER_SCHEMA = strictObject({
  $schema: v.optional(v.string()),
  description: v.optional(v.string()),
  usage: v.optional(v.string()),
  /** The name by which other agents call this one. */
  toolName: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,50}$/u))),
  input: v.optional(
    strictObject({
      format: v.optional(v.picklist(['text', 'json'])),
      schema: v.optional(record(v.unknown())),
    }),
  ),
  output: v.optional(
    strictObject({
      format: v.optional(v.picklist(OUTPUT_FORMATS)),
      schema: v.optional(record(v.unknown())),
    }),
  ),
  models: v.optional(names()),
  tools: v.optional(names()),
  agents: v.optional(names()),
  /** Folders of skills, relative to this file. */
  skills: v.optional(names()),
  /** Adds the AGENTS.md files of the tree to the system prompt. */
  agentsMd: v.optional(v.boolean()),
  ...limits,
});

export type Frontmatter = v.InferOutput<typeof FRONTMATTER_SCHEMA>;

/** Parses a list or a comma-separated string. */
export function splitNames(value: string | readonly string[] | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const parts = typeof value === 'string' ? value.split(',') : value;
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
