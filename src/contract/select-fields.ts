import { ownMember } from '../base/own-member.ts';
import { Fault } from '../base/fault.ts';
import { isPlainObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { UNTRUSTED_KEY } from './generated.ts';

/** Always included: without them an agent would trust untrusted text, or mistake a part for the whole or an old answer for a new one. */
const ALWAYS_INCLUDED: ReadonlySet<string> = new Set([
  UNTRUSTED_KEY,
  'truncated',
  'replayed',
  'payload_mismatch',
]);

/** Also always included in a page; elsewhere, for example in a row, these names are fields like any other. */
const PAGE_MEMBERS: ReadonlySet<string> = new Set([
  'count',
  'total',
  'next_cursor',
  'has_more',
  'offset',
  'next_offset',
]);

/** A tree of selected members; an empty tree selects everything. */
export interface Selection {
  readonly [member: string]: Selection;
}

/**
 * Parses `--fields a,b.c,items[].id`. On a paged output a name refers to the page, or else to its items, so `--fields id` and
 * `--fields items[].id` are the same; so does a name that both have, if the page always has it. An unknown field is rejected with the list of valid ones.
 */
export function parseFields(list: readonly string[], known: readonly string[]): Selection {
  if (list.length === 0) throw invalidFields('--fields is empty.', known, {});
  const paths = [...new Set(list.map((field) => resolveField(field, known)))];
  const whole = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}.`)));
  const selection: Record<string, unknown> = {};
  for (const path of whole) {
    let node = selection;
    for (const step of path.split('.')) {
      node[step] ??= {};
      node = node[step] as Record<string, unknown>;
    }
  }
  return selection as Selection;
}

/** Keeps the selected members of a value, and those that are always included. */
export function selectFields(value: unknown, selection: Selection): unknown {
  if (Object.keys(selection).length === 0) return value;
  if (Array.isArray(value)) return value.map((item) => selectFields(item, selection));
  if (!isPlainObject(value)) return value;
  const isPage = 'items' in value || 'has_more' in value;
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const chosen = ownMember(selection, key);
    if (chosen) kept[key] = selectFields(member, chosen);
    else if (ALWAYS_INCLUDED.has(key) || (isPage && PAGE_MEMBERS.has(key))) kept[key] = member;
  }
  return kept;
}

/** Whether a selection returns a field such as `items[].title`, or a part of it. */
export function isSelected(path: string, selection: Selection): boolean {
  let node = selection;
  for (const step of path.replaceAll('[]', '').split('.')) {
    if (Object.keys(node).length === 0) return true;
    const next = ownMember(node, step);
    if (next === undefined) return false;
    node = next;
  }
  return true;
}

function resolveField(field: string, known: readonly string[]): string {
  const normal = field.replaceAll(/\[\d*\]/gu, '[]');
  const paths = new Set(known.map((path) => path.replaceAll('[]', '')));
  const bare = normal.replaceAll('[]', '');
  const isOfItems = paths.has(`items.${bare}`);
  if (paths.has(bare) && !(isOfItems && PAGE_MEMBERS.has(bare))) return bare;
  if (isOfItems) return `items.${bare}`;
  const suggestion = nearest(normal, known);
  throw invalidFields(`Unknown field in --fields: "${field}".`, known, { value: field, suggestion });
}

function invalidFields(
  message: string,
  allowed: readonly string[],
  about: { readonly value?: string; readonly suggestion?: string | undefined },
): Fault {
  const { suggestion } = about;
  return new Fault('E_VALIDATION', message, {
    hint: suggestion ? `Did you mean ${suggestion}?` : 'See details.allowed for the valid fields.',
    details: { field: 'fields', ...about, allowed },
  });
}
