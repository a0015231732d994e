import type * as v from 'valibot';
import { check, expectedType, unknownMembers } from '../../base/describe-problem.ts';
import { isPlainObject } from '../../base/json.ts';
import { excerpt } from '../../base/text.ts';
import { invalidPlan, QUOTES } from './invalid-plan.ts';
import { WORK_ITEM_SCHEMA, type WorkItem } from './work-item.ts';

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
  throw invalidPlan(
    `Invalid work item${which ? ` ${which}` : ''}: ${explain(issue)}.`,
    { field, ...(id !== undefined && { id }) },
    { advice: hasStrayText(value, issue) ? QUOTES : adviceAboutList(value) },
  );
}

/** `items: [ … ]` around the items is a common guess. */
function adviceAboutList(value: unknown): string | undefined {
  if (!isPlainObject(value) || 'id' in value) return undefined;
  const list = Object.entries(value).find(([, items]) => Array.isArray(items) && items.some(isPlainObject));
  return list && `A plan is a list of items: write them without "${excerpt(list[0])}" around them.`;
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
