import * as v from 'valibot';
import { isPlainObject } from './json.ts';

/*
 * Schemas are plain valibot. The functions below are for JSON values, where valibot's own are too lenient: its numbers
 * may be infinite, its objects may be arrays, and its records drop members named `constructor` or `prototype`.
 */

/** A number that JSON can represent. */
export function number() {
  return v.pipe(v.number(), v.finite());
}

/** An integer that a JSON number represents exactly. */
export function int() {
  return v.pipe(v.number(), v.safeInteger());
}

/**
 * An object with these members and no others. A missing member is reported by its own schema, which knows what it must be; the issue of
 * an unknown member lists all of them as its `requirement`.
 */
export function strictObject<const E extends v.ObjectEntries>(
  entries: E,
): v.StrictObjectSchema<E, undefined> {
  const required = Object.keys(entries).filter((name) => !MAY_BE_ABSENT.has(entries[name]?.type));
  return withRun(v.strictObject(entries), (value, run) => {
    const missing = required.filter((name) => !(name in value));
    const complete = { ...value, ...Object.fromEntries(missing.map((name) => [name, undefined])) };
    const result = run(complete);
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(entries, name));
    if (unknown.length === 0) return result;
    for (const issue of result.issues ?? [])
      if (issue.path?.length === 1 && issue.expected === 'never')
        Object.assign(issue, { requirement: unknown });
    // Otherwise a union would only report that no option matches.
    const known = Object.entries(complete).filter(([name]) => Object.hasOwn(entries, name));
    return Object.assign(result, { typed: run(Object.fromEntries(known)).typed });
  });
}

/** Members whose absence valibot handles itself, or for which `undefined` would be a value. */
const MAY_BE_ABSENT: ReadonlySet<string | undefined> = new Set(['optional', 'unknown']);

/** An object with any members of one kind. */
export function record<T extends v.GenericSchema>(
  member: T,
): v.RecordSchema<v.StringSchema<undefined>, T, undefined> {
  return withRun(v.record(v.string(), member), (value, _run, config) => {
    // Assigning to __proto__ would change the object instead of adding a member.
    const names = Object.keys(value).filter((name) => name !== '__proto__');
    return v.object(Object.fromEntries(names.map((name) => [name, member])))['~run']({ value }, config);
  });
}

type Dataset = v.OutputDataset<unknown, v.BaseIssue<unknown>>;
type Config = v.Config<v.BaseIssue<unknown>>;

/** Replaces how a new valibot schema checks an object; it rejects other values itself. */
function withRun<T extends v.GenericSchema>(
  schema: T,
  checkObject: (
    value: Readonly<Record<string, unknown>>,
    run: (value: unknown) => Dataset,
    config: Config,
  ) => Dataset,
): T {
  const original = schema['~run'].bind(schema);
  const run = ({ value }: v.UnknownDataset, config: Config): Dataset => {
    if (isPlainObject(value))
      return checkObject(value, (changed) => original({ value: changed }, config), config);
    // valibot would accept an array as an object.
    return original({ value: value === undefined ? undefined : null }, config);
  };
  return Object.assign(schema, { '~run': run });
}

/** Copies a schema and adds a description. */
export function described<T extends v.GenericSchema>(schema: T, description: string): T {
  return v.pipe(schema, v.description(description)) as unknown as T;
}
