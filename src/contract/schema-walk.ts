import * as z from 'zod/mini';

/**
 * Reads zod schemas as data. Only `_zod.def`, the part of zod that is published for libraries, is used, so schemas made with
 * `zod` and with `zod/mini` both work.
 */
export type Schema = z.core.$ZodType;

interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly out?: Schema;
  readonly element?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly values?: readonly unknown[];
  readonly options?: readonly Schema[];
  readonly valueType?: Schema;
  readonly defaultValue?: unknown;
  readonly format?: string;
  readonly getter?: () => Schema;
}

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
    description ??= z.globalRegistry.get(current)?.description;
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

export function definition(schema: Schema): Definition {
  return schema._zod.def;
}
