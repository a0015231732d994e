import * as z from 'zod/mini';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { excerpt } from '../../base/text.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import { WORK_ITEM_SCHEMA, type WorkItem } from './work-item.ts';

/** Reads a plan: JSON or YAML, one item or a list of them. Every problem is told with the item and member it is in. */
export async function parsePlan(text: string): Promise<readonly WorkItem[]> {
  return checkItems(await parseDocument(text));
}

/** Checks items that came as values. */
export function checkItems(value: unknown): readonly WorkItem[] {
  const list = Array.isArray(value) ? value : [value];
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

/** Checks one item and fills in what the contract gives by default. */
export function checkItem(value: unknown, index?: number): WorkItem {
  const result = z.safeParse(WORK_ITEM_SCHEMA, value);
  if (result.success) {
    const { constraints, budget } = result.data;
    return {
      ...result.data,
      budget: budget ?? { time_estimate_ms: constraints.timeout_ms, complexity: 'medium' },
    };
  }
  const [issue] = result.error.issues;
  const id = isPlainObject(value) && typeof value.id === 'string' ? excerpt(value.id) : undefined;
  const which = id !== undefined ? `"${id}"` : index === undefined ? '' : `number ${index + 1}`;
  const field = [...(index === undefined ? [] : [index]), ...(issue?.path ?? [])].join('.');
  throw invalid(`The work item ${which ? `${which} ` : ''}is not valid: ${explain(issue)}.`, {
    field,
    ...(id !== undefined && { id }),
  });
}

function explain(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'unknown problem';
  const at = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    return `${at ? `${at} has` : 'it has'} the unknown member ${issue.keys.map((key) => `"${excerpt(key)}"`).join(', ')}`;
  }
  if (issue.code === 'invalid_type')
    return `${at || 'it'} ${issue.input === undefined && at ? `is missing or not ${issue.expected}` : `must be ${issue.expected}`}`;
  if (issue.code === 'invalid_value') return `${at} must be one of ${issue.values.join(', ')}`;
  return `${at || 'it'}: ${issue.message}`;
}

async function parseDocument(text: string): Promise<unknown> {
  if (Buffer.byteLength(text) > WORK_LIMITS.planBytes) {
    throw invalid(`The plan has more than ${WORK_LIMITS.planBytes} bytes.`, { field: 'file' });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return parseYaml(text);
  }
}

/** YAML is read strictly: no duplicate keys, no custom tags, few aliases. Its messages may quote the text, so they stay the cause. */
async function parseYaml(text: string): Promise<unknown> {
  const { parseDocument: parse } = await import('yaml');
  const document = parse(text, { schema: 'core', uniqueKeys: true, prettyErrors: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem === undefined) {
    try {
      return document.toJS({ maxAliasCount: 50 }) as unknown;
    } catch (error) {
      throw invalid('The plan repeats itself by aliases too often.', { field: 'file' }, error);
    }
  }
  const place = problem.linePos?.[0];
  const where = place ? ` at line ${place.line}, column ${place.col}` : '';
  throw invalid(
    `The plan is neither JSON nor YAML${where} (${problem.code}).`,
    { field: 'file', ...(place && { line: place.line, column: place.col }) },
    problem,
  );
}

function invalid(message: string, details: Record<string, string | number>, cause?: unknown): Fault {
  return new Fault('E_VALIDATION', message, {
    hint: 'Correct the plan; "deed work run --help" shows an item, and nothing has run.',
    details,
    cause,
  });
}
