import type { StandardSchemaV1 } from '@standard-schema/spec';
import type * as v from 'valibot';
import { check, expectedType, unknownMembers } from '../base/describe-problem.ts';
import { excerpt } from '../base/text.ts';
import { isValibot, type Schema } from './schema.ts';

export interface ValueProblem {
  /** The location in the value, outermost first. */
  readonly path: readonly PropertyKey[];
  readonly problem: string;
  /** The unknown member of an object. */
  readonly unknown?: string | undefined;
}

export type CheckedValue =
  | { readonly value: unknown }
  | { readonly problems: readonly [ValueProblem, ...ValueProblem[]] };

/** Validates a value with a schema of any library; a missing value is passed as undefined. */
export async function checkValue(schema: Schema, value: unknown): Promise<CheckedValue> {
  if (isValibot(schema)) {
    const result = check(schema, value);
    if (result.success) return { value: result.output };
    const [first, ...rest] = result.issues.flatMap(ofGivenType);
    return { problems: mapFirst([first ?? result.issues[0], ...rest], fromValibot) };
  }
  const result = await schema['~standard'].validate(value);
  const [first, ...rest] = result.issues ?? [];
  if (result.issues === undefined || first === undefined)
    return { value: (result as { value: unknown }).value };
  if (value === undefined) return { problems: [{ path: [], problem: 'is required' }] };
  return { problems: mapFirst([first, ...rest], fromStandard) };
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

function mapFirst<A, B>([first, ...rest]: readonly [A, ...A[]], map: (one: A) => B): [B, ...B[]] {
  return [map(first), ...rest.map(map)];
}

function fromValibot(issue: v.BaseIssue<unknown>): ValueProblem {
  const path = (issue.path ?? []).map(({ key }) => key as PropertyKey);
  return { path, problem: issue.message, unknown: unknownMembers(issue)?.[0] };
}

/** The message is the library's, without its full stop: the fault adds one. */
function fromStandard({ message, path = [] }: StandardSchemaV1.Issue): ValueProblem {
  // ArkType's paths are arrays whose own map() adds an element.
  const keys = Array.from(path, (part) => (typeof part === 'object' ? part.key : part));
  return { path: keys, problem: message.replace(/\.$/u, '') };
}
