import { descriptionOf, type Definition, type Schema } from '../base/schema/schema.ts';

export interface Unwrapped {
  readonly schema: Schema;
  readonly def: Definition;
  readonly optional: boolean;
  readonly nullable: boolean;
  readonly defaultValue: unknown;
  readonly description: string | undefined;
}

/** Removes optional, default, nullable and similar wrappers, and says which there were. */
export function unwrap(schema: Schema): Unwrapped {
  let current = schema;
  let optional = false;
  let nullable = false;
  let defaultValue: unknown;
  let description: string | undefined;
  for (;;) {
    description ??= descriptionOf(current);
    const def = definition(current);
    if (def.type === 'optional') optional = true;
    else if (def.type === 'nullable') nullable = true;
    else if (def.type === 'default' || def.type === 'prefault') {
      optional = true;
      defaultValue = def.defaultValue;
    } else if (def.type === 'lazy' && def.getter) {
      current = def.getter();
      continue;
    } else if (def.type !== 'readonly' && def.type !== 'nonoptional') {
      return { schema: current, def, optional, nullable, defaultValue, description };
    }
    if (def.innerType === undefined) throw new Error(`zod wrapper ${def.type} has no inner type`);
    current = def.innerType;
  }
}

/** Reads a schema as data. Only the part of zod that is published for libraries is used, so schemas of `zod` and `zod/mini` work too. */
export function definition(schema: Schema): Definition {
  return schema._zod.def as Definition;
}
