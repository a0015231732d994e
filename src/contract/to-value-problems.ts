import type * as v from 'valibot';
import { expectedType, unknownMembers } from '../base/describe-problem.ts';
import { excerpt } from '../base/text.ts';
import type { ValueProblem } from './value-problem.ts';

type Issues = readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]];

/** Converts the issues of a valibot schema to the problems that a caller reads. */
export function toValueProblems(issues: Issues): [ValueProblem, ...ValueProblem[]] {
  const [first = issues[0], ...rest] = issues.flatMap(ofGivenType);
  return [toProblem(first), ...rest.map(toProblem)];
}

/** The problems of a value that may be of several types: those of the list or the object that it is, with their values. */
function ofGivenType(issue: v.BaseIssue<unknown>): v.BaseIssue<unknown>[] {
  const { type, input, issues = [], path = [] } = issue;
  if (type !== 'union' || input === undefined) return [issue];
  const container = Array.isArray(input) ? 'array' : 'object';
  const inside = issues.filter((one) => one.path?.[0].type === container);
  if (inside.length > 0)
    return inside.map((one) =>
      withValue({ ...one, path: [...path, ...(one.path ?? [])] as typeof one.path }),
    );
  const types = issues.map(expectedType);
  if (types.length === 0 || types.includes(undefined)) return [issue];
  return [withValue({ ...issue, message: `must be of type ${[...new Set(types)].join(' or ')}` })];
}

function withValue(issue: v.BaseIssue<unknown>): v.BaseIssue<unknown> {
  const { input, message } = issue;
  if (input === undefined || !message.startsWith('must be ')) return issue;
  return { ...issue, message: `${message}, not ${excerpt(JSON.stringify(input))}` };
}

function toProblem(issue: v.BaseIssue<unknown>): ValueProblem {
  const path = (issue.path ?? []).map(({ key }) => key as PropertyKey);
  return { path, problem: issue.message, unknown: unknownMembers(issue)?.[0] };
}
