import type * as zod from 'zod/mini';

export type { core, output, ZodMiniObject } from 'zod/mini';

/**
 * Schemas in the form that zod gives them, without zod. Every call builds the schemas of its command and looks at them once; loading
 * zod for that takes longer than the rest of a short call. `accept.ts` takes input that is right, and `to-zod.ts` makes true zod
 * schemas of these where there is something to explain. Whatever is written here has zod's name and zod's type.
 */
export type Schema = zod.core.$ZodType;

/** What zod calls a definition, as far as anything here looks into it. */
export interface Definition {
  readonly type: string;
  readonly checks?: readonly Check[];
  readonly innerType?: Schema;
  /** Known of an inner schema without a look at it. */
  readonly withoutDefault?: boolean;
  readonly element?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
  /** Set where members that the shape does not name are refused. */
  readonly strict?: boolean;
  readonly keyType?: Schema;
  readonly valueType?: Schema;
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly values?: readonly unknown[];
  readonly options?: readonly Schema[];
  readonly defaultValue?: unknown;
  readonly format?: string;
  readonly getter?: () => Schema;
}

interface CheckDefinition {
  readonly check: 'greater_than' | 'less_than' | 'min_length' | 'max_length' | 'regex' | 'custom';
  readonly limit?: number;
  readonly inclusive?: boolean;
  readonly pattern?: RegExp;
  readonly test?: (value: never) => unknown;
  readonly message?: string | undefined;
}

/** A rule beside the type; see `to-zod.ts` for which of zod's it is. */
export class Check {
  readonly definition: CheckDefinition;

  constructor(definition: CheckDefinition) {
    this.definition = definition;
  }
}

/** A schema that zod has not seen. */
export class PlainSchema {
  readonly _zod: { readonly def: Definition };
  readonly description: string | undefined;

  constructor(def: Definition, description?: string) {
    this._zod = { def };
    this.description = description;
  }

  get shape(): Definition['shape'] {
    return this._zod.def.shape;
  }

  check(...checks: readonly Check[]): PlainSchema {
    const { def } = this._zod;
    return new PlainSchema({ ...def, checks: [...(def.checks ?? []), ...checks] }, this.description);
  }
}

/** Gives a copy of a schema a description; the schema itself may be shared. */
export function described<T extends Schema>(schema: T, description: string): T {
  const plain = asPlain(schema);
  if (plain !== undefined) return new PlainSchema(plain._zod.def, description) as unknown as T;
  const copy = new schema._zod.constr(schema._zod.def) as T;
  copy._zod.parent = schema;
  zodRegistry()?.add(copy, { description });
  return copy;
}

export function descriptionOf(schema: Schema): string | undefined {
  const plain = asPlain(schema);
  return plain === undefined ? zodRegistry()?.get(schema)?.description : plain.description;
}

/** Where zod keeps descriptions, for all copies of zod in a process; whoever made a schema with it has loaded one. */
function zodRegistry(): typeof zod.globalRegistry | undefined {
  return (globalThis as { __zod_globalRegistry?: typeof zod.globalRegistry }).__zod_globalRegistry;
}

/** The same schema, if it is one that zod has not seen. */
export function asPlain(schema: unknown): PlainSchema | undefined {
  return schema instanceof PlainSchema ? schema : undefined;
}

/** Lets a function pass for the one of zod whose name and type it is given. */
function like(build: (...given: never[]) => PlainSchema | Check): never {
  return build as never;
}

export const string: () => zod.ZodMiniString<string> = like(() => new PlainSchema({ type: 'string' }));
export const number: () => zod.ZodMiniNumber<number> = like(() => new PlainSchema({ type: 'number' }));
export const int: () => zod.ZodMiniNumberFormat = like(
  () => new PlainSchema({ type: 'number', format: 'safeint' }),
);
export const boolean: () => zod.ZodMiniBoolean<boolean> = like(() => new PlainSchema({ type: 'boolean' }));
export const unknown: () => zod.ZodMiniUnknown = like(() => new PlainSchema({ type: 'unknown' }));

export const optional: typeof zod.optional = like(
  (innerType: Schema) => new PlainSchema({ type: 'optional', innerType }),
);
export const nullable: typeof zod.nullable = like(
  (innerType: Schema) => new PlainSchema({ type: 'nullable', innerType }),
);
export const _default: typeof zod._default = like(
  (innerType: Schema, value: unknown) =>
    new PlainSchema({
      type: 'default',
      innerType,
      // Whoever gets it may change it.
      get defaultValue() {
        return Array.isArray(value) ? [...(value as unknown[])] : value;
      },
    }),
);
/**
 * A schema that may be left out, built when there is a value for it: where most calls give none, that is most of the work. Contract: it
 * has no default of its own.
 */
export function later<T extends Schema>(build: () => T): zod.ZodMiniOptional<T> {
  let built: T | undefined;
  const def = {
    type: 'optional',
    get innerType() {
      return (built ??= build());
    },
    withoutDefault: true,
  };
  return new PlainSchema(def) as never;
}
export const lazy: typeof zod.lazy = like(
  (getter: () => Schema) => new PlainSchema({ type: 'lazy', getter }),
);

export const object: typeof zod.object = like(
  (shape: Definition['shape'] = {}) => new PlainSchema({ type: 'object', shape }),
);
export const strictObject: typeof zod.strictObject = like(
  (shape: Definition['shape'] = {}) => new PlainSchema({ type: 'object', shape, strict: true }),
);
export const extend: typeof zod.extend = like(({ _zod: { def } }: PlainSchema, more: Definition['shape']) => {
  return new PlainSchema({ ...def, shape: { ...def.shape, ...more } });
});
export const array: typeof zod.array = like((element: Schema) => new PlainSchema({ type: 'array', element }));
export const record: typeof zod.record = like(
  (keyType: Schema, valueType: Schema) => new PlainSchema({ type: 'record', keyType, valueType }),
);
export const union: typeof zod.union = like(
  (options: readonly Schema[]) => new PlainSchema({ type: 'union', options }),
);
export const literal: typeof zod.literal = like(
  (values: unknown) => new PlainSchema({ type: 'literal', values: [values].flat() }),
);
const oneOf: typeof zod.enum = like((names: readonly string[]) => {
  const entries: Record<string, string> = {};
  for (const name of names) entries[name] = name;
  return new PlainSchema({ type: 'enum', entries });
});
export { oneOf as enum };

export const gte: typeof zod.gte = like(
  (limit: number) => new Check({ check: 'greater_than', limit, inclusive: true }),
);
export const gt: typeof zod.gt = like(
  (limit: number) => new Check({ check: 'greater_than', limit, inclusive: false }),
);
export const lte: typeof zod.lte = like(
  (limit: number) => new Check({ check: 'less_than', limit, inclusive: true }),
);
export const minLength: typeof zod.minLength = like(
  (limit: number) => new Check({ check: 'min_length', limit }),
);
export const maxLength: typeof zod.maxLength = like(
  (limit: number) => new Check({ check: 'max_length', limit }),
);
export const regex: (pattern: RegExp, message?: string) => zod.core.$ZodCheckRegex = like(
  (pattern: RegExp, message?: string) => new Check({ check: 'regex', pattern, message }),
);
export const refine: typeof zod.refine = like(
  (test: CheckDefinition['test'], message?: string) =>
    new Check({ check: 'custom', ...(test && { test }), message }),
);
