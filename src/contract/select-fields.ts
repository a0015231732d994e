import { ownMember } from '../base/own-member.ts';
import { isPlainObject } from '../base/json.ts';
import { UNTRUSTED_KEY } from './generated.ts';

/** Always included: without them an agent would trust untrusted text, or mistake a part for the whole or an old answer for a new one. */
const ALWAYS_INCLUDED: ReadonlySet<string> = new Set([
  UNTRUSTED_KEY,
  'truncated',
  'replayed',
  'payload_mismatch',
]);

/** Names that a page always includes. In other places, for example in a row, they are ordinary fields. */
export const PAGE_MEMBERS: ReadonlySet<string> = new Set([
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
