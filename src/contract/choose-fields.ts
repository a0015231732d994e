import { Fault } from '../base/fault.ts';
import { nearest } from '../base/nearest.ts';
import type { Command } from './command.ts';
import { listFields } from './output-fields.ts';
import { PAGE_MEMBERS, type Selection } from './select-fields.ts';
import { outputOf } from './shape-reply.ts';

/** Parses the selected fields before the command runs, so that a typo has no effect. */
export function chooseFields(command: Command, fields: readonly string[], dryRun: boolean): Selection {
  // An exempt command previews its own answer.
  const isPreview = dryRun && command.kind !== 'exempt';
  return parseFields(fields, isPreview ? PREVIEW_FIELDS : listFields(outputOf(command)));
}

/** What can be selected of a dry run; the details of a preview depend on the command. */
const PREVIEW_FIELDS = ['preview', 'preview.changes', 'confirm_token', 'expires_at'];

/**
 * Parses `--fields a,b.c,items[].id`. On a paged output a name that is not a field of the page refers to the items, so `--fields id` and
 * `--fields items[].id` are the same. A name that every page includes anyway, such as `count`, refers to the items too if they have it. An
 * unknown field is rejected with the list of valid ones.
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
