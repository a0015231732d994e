import { WORK_LIMITS } from '../work-limits.ts';
import { checkItem } from './check-item.ts';
import { invalidPlan, QUOTES } from './invalid-plan.ts';
import type { WorkItem } from './work-item.ts';

/** Parses a plan: JSON or YAML, one item or an array of them. Errors name the item and the field. */
export async function parsePlan(text: string): Promise<readonly WorkItem[]> {
  return checkItems(await parseDocument(text));
}

/** Validates items that were passed as values. */
export function checkItems(value: unknown): readonly WorkItem[] {
  const list = Array.isArray(value) ? value : value === null ? [] : [value];
  if (list.length === 0) throw invalidPlan('The plan has no work item.', { field: 'items' });
  if (list.length > WORK_LIMITS.items) {
    throw invalidPlan(`The plan has ${list.length} items, more than ${WORK_LIMITS.items}.`, {
      field: 'items',
    });
  }
  const items = list.map((item: unknown, index) => checkItem(item, list.length === 1 ? undefined : index));
  const seen = new Set<string>();
  for (const { id } of items) {
    if (seen.has(id)) throw invalidPlan(`Two work items have the id "${id}".`, { field: 'id', id });
    seen.add(id);
  }
  return items;
}

async function parseDocument(source: string): Promise<unknown> {
  // Editors and shells of Windows write a byte order mark.
  const text = source.replace(/^\uFEFF/u, '');
  if (Buffer.byteLength(text) > WORK_LIMITS.planBytes) {
    throw invalidPlan(`The plan has more than ${WORK_LIMITS.planBytes} bytes.`, { field: 'file' });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return parseYaml(text);
  }
}

/** Parses YAML strictly: no duplicate keys, no custom tags, few aliases; `<<` merges the members of an anchor. Its error messages may quote the file, so they are only the cause. */
async function parseYaml(text: string): Promise<unknown> {
  const { parseDocument: parse } = await import('yaml');
  const document = parse(text, { schema: 'core', merge: true, uniqueKeys: true, prettyErrors: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem === undefined) {
    try {
      return document.toJS({ maxAliasCount: 50 }) as unknown;
    } catch (error) {
      throw invalidPlan(
        'The plan cannot be read: it has too many YAML aliases, or "<<" does not name an object.',
        { field: 'file' },
        { cause: error },
      );
    }
  }
  const place = problem.linePos?.[0];
  const where = place ? ` at line ${place.line}, column ${place.col}` : '';
  throw invalidPlan(
    `The plan is neither JSON nor YAML${where} (${problem.code}).`,
    { field: 'file', ...(place && { line: place.line, column: place.col }) },
    { cause: problem, advice: QUOTES },
  );
}
