import { ownMember } from '../../base/own-member.ts';
import type * as v from 'valibot';
import { nearest } from '../../base/nearest.ts';

/** The parts of a schema that lead to the schemas inside it. */
type Parts = v.GenericSchema & {
  readonly wrapped?: v.GenericSchema;
  readonly entries?: Readonly<Record<string, v.GenericSchema>>;
  readonly value?: v.GenericSchema;
  readonly item?: v.GenericSchema;
  readonly options?: readonly v.GenericSchema[];
};

/** For an unknown key: the key that was probably meant, and all keys at its place, in the order of the documentation. */
export function suggestKeys(
  schema: v.GenericSchema,
  path: readonly string[],
): { readonly suggestion: string | undefined; readonly known: readonly string[] } {
  const key = path.at(-1) ?? '';
  const entries = entriesAt(schema, path.slice(0, -1));
  const known = Object.keys(entries).filter((name) => name !== '$schema');
  // A key of the right name at the wrong level is more likely than a typo.
  const parent = Object.entries(entries).find(([, inner]) => Object.hasOwn(unwrap(inner).entries ?? {}, key));
  const suggestion = parent === undefined ? nearest(key, known) : `${parent[0]}.${key}`;
  return { suggestion, known };
}

function entriesAt(
  schema: v.GenericSchema,
  path: readonly string[],
): Readonly<Record<string, v.GenericSchema>> {
  const parts = unwrap(schema);
  const [key, ...rest] = path;
  if (key === undefined) return parts.entries ?? {};
  const inner = ownMember(parts.entries, key) ?? parts.value ?? parts.item;
  return inner === undefined ? {} : entriesAt(inner, rest);
}

/** Returns the object schema inside an optional, nullable or alternative one. */
function unwrap(schema: v.GenericSchema): Parts {
  const parts = schema as Parts;
  if (parts.wrapped !== undefined) return unwrap(parts.wrapped);
  const object = parts.options?.map(unwrap).find(({ entries }) => entries !== undefined);
  return object ?? parts;
}
