import type * as v from 'valibot';
import { check, expectedType, unknownMembers } from '../../base/describe-problem.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { excerpt } from '../../base/text.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import { WORK_ITEM_SCHEMA, type WorkItem } from './work-item.ts';

/** Parses a plan: JSON or YAML, one item or an array of them. Errors name the item and the field. */
export async function parsePlan(text: string): Promise<readonly WorkItem[]> {
  return checkItems(await parseDocument(text));
}

/** Validates items that were passed as values. */
export function checkItems(value: unknown): readonly WorkItem[] {
  const list = Array.isArray(value) ? value : value === null ? [] : [value];
  if (list.length === 0) throw invalid('The plan has no work item.', { field: 'items' });
  if (list.length > WORK_LIMITS.items) {
    throw invalid(`The plan has ${list.length} items, more than ${WORK_LIMITS.items}.`, { field: 'items' });
  }
  const items = list.map((item: unknown, index) => checkItem(item, list.length === 1 ? undefined : index));
  const seen = new Set<string>();
  for (const { id } of items) {
    if (seen.has(id)) throw invalid(`Two work items have the id "${id}".`, { field: 'id', id });
    seen.add(id);
  }
  return items;
}

/** Validates one item and fills in the contract's defaults. */
export function checkItem(value: unknown, index?: number): WorkItem {
  const result = check(WORK_ITEM_SCHEMA, value);
  if (result.success) {
    const { constraints, budget } = result.output;
    return {
      ...result.output,
      budget: budget ?? { time_estimate_ms: constraints.timeout_ms, complexity: 'medium' },
    };
  }
  const [issue] = result.issues;
  const id = isPlainObject(value) && typeof value.id === 'string' ? excerpt(value.id) : undefined;
  const which = id !== undefined ? `"${id}"` : index === undefined ? '' : `number ${index + 1}`;
  const field = [...(index === undefined ? [] : [index]), ...placeOf(issue)].join('.');
  throw invalid(
    `Invalid work item${which ? ` ${which}` : ''}: ${explain(issue)}.`,
    { field, ...(id !== undefined && { id }) },
    { advice: hasStrayText(value, issue) ? QUOTES : undefined },
  );
}

function explain(issue: v.BaseIssue<unknown>): string {
  const at = placeOf(issue).join('.');
  const unknown = unknownMembers(issue);
  if (unknown !== undefined)
    return `${at ? `${at} has` : 'it has'} the unknown member ${unknown.map((name) => `"${excerpt(name)}"`).join(', ')}`;
  const type = expectedType(issue);
  if (type !== undefined) return at ? `${at} is missing or is not ${type}` : `it must be ${type}`;
  return issue.type === 'picklist' ? `${at} ${issue.message}` : `${at || 'it'}: ${issue.message}`;
}

/** Whether an unknown member has no value: `{description: Fix a, b}` has the member `b`. */
function hasStrayText(value: unknown, issue: v.BaseIssue<unknown>): boolean {
  const unknown = unknownMembers(issue) ?? [];
  return isPlainObject(value) && unknown.some((name) => value[name] === null);
}

/** The path of the invalid field; for an unknown field, the path of its object. */
function placeOf(issue: v.BaseIssue<unknown>): readonly unknown[] {
  const path = (issue.path ?? []).map(({ key }) => key);
  return unknownMembers(issue) === undefined ? path : path.slice(0, -1);
}

async function parseDocument(source: string): Promise<unknown> {
  // Editors and shells of Windows write a byte order mark.
  const text = source.replace(/^\uFEFF/u, '');
  if (Buffer.byteLength(text) > WORK_LIMITS.planBytes) {
    throw invalid(`The plan has more than ${WORK_LIMITS.planBytes} bytes.`, { field: 'file' });
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
      throw invalid(
        'The plan cannot be read: it has too many YAML aliases, or "<<" does not name an object.',
        { field: 'file' },
        { cause: error },
      );
    }
  }
  const place = problem.linePos?.[0];
  const where = place ? ` at line ${place.line}, column ${place.col}` : '';
  throw invalid(
    `The plan is neither JSON nor YAML${where} (${problem.code}).`,
    { field: 'file', ...(place && { line: place.line, column: place.col }) },
    { cause: problem, advice: QUOTES },
  );
}

const QUOTES = 'In YAML, a text with ": ", ", " or special characters needs quotes.';

function invalid(
  message: string,
  details: Record<string, string | number>,
  { cause, advice }: { readonly cause?: unknown; readonly advice?: string | undefined } = {},
): Fault {
  const hint = 'Fix the plan; "deed work run --help" shows an example. Nothing was run.';
  return new Fault('E_VALIDATION', message, {
    hint: advice === undefined ? hint : `${advice} ${hint}`,
    details,
    cause,
  });
}
