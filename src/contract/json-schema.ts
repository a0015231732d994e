import { toJSONSchema } from 'zod/v4/core';
import type { JsonObject } from '../base/json.ts';
import { toZod } from '../base/schema/to-zod.ts';
import type { Schema } from '../base/schema/schema.ts';

/** Renders a zod schema as JSON Schema 2020-12. Loaded on demand: no ordinary command needs the converter. */
export function renderJsonSchema(schema: Schema, io: 'input' | 'output'): JsonObject {
  return toJSONSchema(toZod(schema), { io, unrepresentable: 'any' }) as unknown as JsonObject;
}
