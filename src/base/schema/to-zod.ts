import * as z from 'zod/mini';
import { asPlain, type Check, type Definition, type PlainSchema, type Schema } from './schema.ts';

const made = new WeakMap<PlainSchema, Schema>();

/** Makes of a plain schema what zod would have made of it. Loaded where something is to be explained or described, which few calls do. */
export function toZod(schema: Schema): Schema {
  const plain = asPlain(schema);
  if (plain === undefined) return schema;
  let result = made.get(plain);
  if (result === undefined) {
    const { def } = plain._zod;
    result = withChecks(ofType(def), def.checks);
    if (plain.description !== undefined) z.globalRegistry.add(result, { description: plain.description });
    made.set(plain, result);
  }
  return result;
}

/** Lets zod judge a value, and put its problems into words. */
export function judge(
  schema: Schema,
  value: unknown,
  describeProblem: (issue: z.core.$ZodRawIssue) => string,
): z.core.util.SafeParseResult<unknown> {
  // A schema is used once here; compiling it first takes longer.
  z.config({ jitless: true });
  return z.safeParse(toZod(schema), value, { error: describeProblem });
}

function ofType(def: Definition): z.ZodMiniType {
  const child = (schema: Schema | undefined): Schema => toZod(schema ?? z.never());
  switch (def.type) {
    case 'string':
      return z.string();
    case 'number':
      return def.format === undefined ? z.number() : z.int();
    case 'boolean':
      return z.boolean();
    case 'unknown':
      return z.unknown();
    case 'enum':
      return z.enum(def.entries ?? {});
    case 'literal':
      return z.literal(def.values as z.core.util.Literal[]);
    case 'optional':
      return z.optional(child(def.innerType));
    case 'nullable':
      return z.nullable(child(def.innerType));
    case 'default':
      return z._default(child(def.innerType), () => def.defaultValue);
    case 'lazy':
      return z.lazy(() => child(def.getter?.()));
    case 'array':
      return z.array(child(def.element));
    case 'record':
      return z.record(child(def.keyType) as z.core.$ZodRecordKey, child(def.valueType));
    case 'union':
      return z.union((def.options ?? []).map(child));
    case 'object': {
      const members = Object.entries(def.shape ?? {}).map(([name, member]) => [name, toZod(member)]);
      const shape = Object.fromEntries(members) as z.core.$ZodLooseShape;
      return def.strict === true ? z.strictObject(shape) : z.object(shape);
    }
    default:
      throw new Error(`zod has no schema ${def.type}`);
  }
}

function withChecks(schema: z.ZodMiniType, checks: readonly Check[] = []): Schema {
  return checks.length === 0 ? schema : schema.check(...checks.map(checkOf));
}

function checkOf({ definition }: Check): z.core.$ZodCheck<unknown> {
  const { check, limit = 0, inclusive, pattern, test, message } = definition;
  switch (check) {
    case 'greater_than':
      return inclusive === true ? z.gte(limit) : z.gt(limit);
    case 'less_than':
      return z.lte(limit);
    case 'min_length':
      return z.minLength(limit);
    case 'max_length':
      return z.maxLength(limit);
    case 'regex':
      return z.regex(pattern ?? /(?:)/u, message);
    case 'custom':
      return z.refine(test as (value: unknown) => boolean, message);
  }
}
