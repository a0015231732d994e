import type { StandardSchemaV1 } from '@standard-schema/spec';
import { check } from '../base/describe-problem.ts';
import { isValibot, type Schema } from './schema.ts';
import type { ValueProblem } from './value-problem.ts';

export type CheckedValue =
  | { readonly value: unknown }
  | { readonly problems: readonly [ValueProblem, ...ValueProblem[]] };

/** Validates a value with a schema of any library; a missing value is passed as undefined. */
export async function checkValue(schema: Schema, value: unknown): Promise<CheckedValue> {
  if (isValibot(schema)) {
    const result = check(schema, value);
    if (result.success) return { value: result.output };
    const { toValueProblems } = await import('./to-value-problems.ts');
    return { problems: toValueProblems(result.issues) };
  }
  const result = await schema['~standard'].validate(value);
  const [first, ...rest] = result.issues ?? [];
  if (result.issues === undefined || first === undefined)
    return { value: (result as { value: unknown }).value };
  if (value === undefined) return { problems: [{ path: [], problem: 'is required' }] };
  return { problems: [fromStandard(first), ...rest.map(fromStandard)] };
}

/** The message is the library's, without its full stop: the fault adds one. */
function fromStandard({ message, path = [] }: StandardSchemaV1.Issue): ValueProblem {
  // ArkType's paths are arrays whose own map() adds an element.
  const keys = Array.from(path, (part) => (typeof part === 'object' ? part.key : part));
  return { path: keys, problem: message.replace(/\.$/u, '') };
}
