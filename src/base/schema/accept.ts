import { isPlainObject } from '../json.ts';
import { asPlain, type Check, type Definition, type Schema } from './schema.ts';

/** Said of a value that a schema does not take, or that only zod can judge. */
export const REFUSED = Symbol('refused');

/**
 * Takes a value as a schema wants it: without members that the schema does not name, with its defaults filled in. Contract: what is
 * accepted here zod accepts with the same result; what is refused here zod may still accept.
 */
export function accept(schema: Schema, value: unknown): unknown {
  const def = asPlain(schema)?._zod.def;
  if (def === undefined) return acceptByZod(schema, value);
  const taken = acceptType(def, value);
  if (taken === REFUSED) return REFUSED;
  for (const check of def.checks ?? []) if (!passes(check, taken)) return REFUSED;
  return taken;
}

/** A schema that zod made brings zod along. */
function acceptByZod(schema: Schema, value: unknown): unknown {
  const result = schema._zod.run({ value, issues: [] }, { async: false });
  return result instanceof Promise || result.issues.length > 0 ? REFUSED : result.value;
}

function acceptType(def: Definition, value: unknown): unknown {
  switch (def.type) {
    case 'string':
    case 'boolean':
      return typeof value === def.type ? value : REFUSED;
    case 'number':
      return (def.format === undefined ? Number.isFinite(value) : Number.isSafeInteger(value))
        ? value
        : REFUSED;
    case 'unknown':
      return value;
    case 'enum':
      return Object.values(def.entries ?? {}).includes(value as string) ? value : REFUSED;
    case 'literal':
      return def.values?.includes(value) ? value : REFUSED;
    case 'optional':
      return value === undefined && absenceOfOptional(def) === 'nothing' ? undefined : inner(def, value);
    case 'nullable':
      return value === null ? null : inner(def, value);
    case 'default': {
      const taken = value === undefined ? undefined : inner(def, value);
      return taken === undefined ? def.defaultValue : taken;
    }
    case 'lazy':
      return def.getter === undefined ? REFUSED : accept(def.getter(), value);
    case 'array':
      return acceptItems(def, value);
    case 'object':
      return acceptMembers(def, value);
    case 'record':
      return acceptEntries(def, value);
    case 'union':
      for (const option of def.options ?? []) {
        const taken = accept(option, value);
        if (taken !== REFUSED) return taken;
      }
      return REFUSED;
    default:
      return REFUSED;
  }
}

function inner({ innerType }: Definition, value: unknown): unknown {
  return innerType === undefined ? REFUSED : accept(innerType, value);
}

function acceptItems({ element }: Definition, value: unknown): unknown {
  if (!Array.isArray(value) || element === undefined) return REFUSED;
  const items: unknown[] = [];
  for (const item of value as unknown[]) {
    const taken = accept(element, item);
    if (taken === REFUSED) return REFUSED;
    items.push(taken);
  }
  return items;
}

function acceptMembers({ shape = {}, strict }: Definition, value: unknown): unknown {
  if (!isPlainObject(value) || Object.hasOwn(value, '__proto__')) return REFUSED;
  const members: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shape)) {
    const isThere = name in value;
    const whenAbsent = isThere ? undefined : absence(schema);
    if (!isThere && whenAbsent === undefined) return REFUSED;
    if (whenAbsent === 'nothing') continue;
    const taken = accept(schema, value[name]);
    if (taken === REFUSED) return REFUSED;
    if (isThere || taken !== undefined || !mayStayAway(schema)) members[name] = taken;
  }
  if (strict === true) for (const name of Object.keys(value)) if (!Object.hasOwn(shape, name)) return REFUSED;
  return members;
}

function acceptEntries({ keyType, valueType }: Definition, value: unknown): unknown {
  if (!isPlainObject(value) || Object.hasOwn(value, '__proto__')) return REFUSED;
  if (keyType === undefined || valueType === undefined) return REFUSED;
  const entries: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const taken = accept(keyType, name) === name ? accept(valueType, member) : REFUSED;
    if (taken === REFUSED) return REFUSED;
    entries[name] = taken;
  }
  return entries;
}

/** What stands for a member that is not there: nothing, or a default; undefined where it must be there. */
function absence(schema: Schema | undefined): 'nothing' | 'default' | undefined {
  if (schema === undefined) return undefined;
  const def = asPlain(schema)?._zod.def;
  if (def === undefined) {
    const { optin } = schema._zod;
    return optin === undefined ? undefined : optin === 'optional' ? 'nothing' : 'default';
  }
  switch (def.type) {
    case 'default':
      return 'default';
    case 'optional':
      return absenceOfOptional(def);
    case 'nullable':
      return absence(def.innerType);
    case 'lazy':
      return absence(def.getter?.());
    case 'union': {
      let found: 'nothing' | undefined;
      for (const option of def.options ?? []) {
        const one = absence(option);
        if (one === 'default') return 'default';
        found ??= one;
      }
      return found;
    }
    default:
      return undefined;
  }
}

function absenceOfOptional(def: Definition): 'nothing' | 'default' {
  return def.withoutDefault !== true && absence(def.innerType) === 'default' ? 'default' : 'nothing';
}

/** Whether a member that was not given, and became nothing, is left out of the result too. */
function mayStayAway(schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  const def = asPlain(schema)?._zod.def;
  if (def === undefined) return schema._zod.optout === 'optional';
  switch (def.type) {
    case 'optional':
      return true;
    case 'nullable':
      return mayStayAway(def.innerType);
    case 'lazy':
      return mayStayAway(def.getter?.());
    case 'union':
      return (def.options ?? []).some(mayStayAway);
    default:
      return false;
  }
}

function passes({ definition }: Check, value: unknown): boolean {
  const { check, limit = 0, inclusive, pattern, test } = definition;
  const { length } = value as { length: number };
  switch (check) {
    case 'greater_than':
      return inclusive === true ? (value as number) >= limit : (value as number) > limit;
    case 'less_than':
      return (value as number) <= limit;
    case 'min_length':
      return length >= limit;
    case 'max_length':
      return length <= limit;
    case 'regex':
      return pattern?.test(value as string) === true;
    case 'custom':
      return Boolean(test?.(value as never));
  }
}
