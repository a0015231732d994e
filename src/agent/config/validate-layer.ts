import * as z from 'zod/mini';
import { describeProblem } from '../../base/describe-problem.ts';
import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';

/** Validates data against a schema. Throws a Fault with the file, the path in it and the problem. */
export function validateLayer<T extends z.core.$ZodType>(
  schema: T,
  values: unknown,
  layer: string,
): z.output<T> {
  const result = z.safeParse(schema, values, { error: describeProblem });
  if (result.success) return result.data;
  const problems = result.error.issues.map(toProblem);
  const [first] = problems;
  const place = first?.path === '' ? '' : `${first?.path}: `;
  throw new Fault('E_CONFIG', `${layer}: ${place}${first?.problem ?? 'is not valid'}.`, {
    hint: `Fix ${layer}.`,
    details: { layer, ...first, problems },
  });
}

function toProblem(issue: z.core.$ZodIssue): { path: string; problem: string } {
  const path = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') return { path, problem: issue.message };
  const [key = ''] = issue.keys;
  return { path: path === '' ? key : `${path}.${key}`, problem: 'is not a known key' };
}

/** Returns the Fault for a name that is not configured, with the closest configured name. */
export function unknownName(kind: string, name: string, known: readonly string[], hint?: string): Fault {
  const suggestion = nearest(name, known);
  const listed = known.length === 0 ? `None is configured.` : `Known: ${known.join(', ')}.`;
  return new Fault('E_CONFIG', `Unknown ${kind}: "${name}".`, {
    hint: suggestion ? `Did you mean ${suggestion}?` : (hint ?? listed),
    details: { kind, name, known, ...(suggestion && { suggestion }) },
  });
}
