import * as v from 'valibot';
import type { Command, CommandContext } from './command.ts';
import { isValibot } from './schema.ts';

/** One parameter of a call that contains ids. */
export interface GivenId {
  readonly field: string;
  readonly value: unknown;
  /** All parameters of the call, validated. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly context: CommandContext;
}

/** Contract: reads only. Returns the value with full ids; an id that does not exist stays as it is, for the command to report. */
export type ResolveId = (given: GivenId) => Promise<unknown>;

const METADATA_KEY = 'deed.id';

/** Returns the schema of a parameter that takes ids, marked so that the parameter also accepts unique prefixes of ids. */
export function acceptIdPrefixes<T extends v.GenericSchema>(schema: T, resolve: ResolveId): T {
  return v.pipe(schema, v.metadata({ [METADATA_KEY]: resolve })) as unknown as T;
}

/** Returns the function that resolves the ids of a parameter; undefined for a parameter without ids. */
export function resolverOf(schema: Command['params'][string]): ResolveId | undefined {
  return isValibot(schema) ? (v.getMetadata(schema)[METADATA_KEY] as ResolveId | undefined) : undefined;
}

/**
 * Returns the parameters that take ids, with prefixes replaced by full ids. It runs before the rest of a call, so that plan, token,
 * request id and audit log always contain the full id.
 */
export async function resolveIds(
  command: Command,
  params: Readonly<Record<string, unknown>>,
  context: CommandContext,
): Promise<Record<string, unknown>> {
  const resolved: Record<string, unknown> = {};
  for (const [field, schema] of Object.entries(command.params)) {
    const { [field]: value } = params;
    const resolve = value === undefined ? undefined : resolverOf(schema);
    if (resolve !== undefined) resolved[field] = await resolve({ field, value, params, context });
  }
  return resolved;
}
