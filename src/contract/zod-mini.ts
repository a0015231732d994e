import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonObject } from '../base/json.ts';

type Convert = (
  schema: StandardSchemaV1,
  options: { readonly io: 'input' | 'output'; readonly unrepresentable: 'any' },
) => unknown;

let convert: Convert | undefined;

/**
 * Loads zod's converter to JSON Schema: schemas of `zod/mini` have none. Contract: does nothing unless the program has loaded
 * zod itself, from where this package can find it.
 */
export async function loadZodConverter(): Promise<void> {
  if (!('__zod_globalRegistry' in globalThis)) return;
  try {
    ({ toJSONSchema: convert } = (await import('zod/v4/core')) as unknown as { toJSONSchema: Convert });
  } catch {
    // Schemas of zod itself need no converter; one of zod/mini is rejected where it is used.
  }
}

/** Converts a schema of zod/mini to JSON Schema; undefined when that is not possible. */
export function convertZodMini(schema: StandardSchemaV1, io: 'input' | 'output'): JsonObject | undefined {
  if (schema['~standard'].vendor !== 'zod') return undefined;
  return convert?.(schema, { io, unrepresentable: 'any' }) as JsonObject | undefined;
}
