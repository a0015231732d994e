import * as z from 'zod/mini';
import { describeProblem } from '../../base/describe-problem.ts';
import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';

/** Checks data against a schema; the fault names the file, the place in it and what is wrong there. */
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
    hint: `Correct ${layer}.`,
    details: { layer, ...first, problems },
  });
}

function toProblem(issue: z.core.$ZodIssue): { path: string; problem: string } {
  const path = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') return { path, problem: issue.message };
  const [key = ''] = issue.keys;
  return { path: path === '' ? key : `${path}.${key}`, problem: 'is not a known key' };
}

/** The refusal of a name that the configuration does not have, with the nearest one it has. */
export function unknownName(kind: string, name: string, known: readonly string[], hint?: string): Fault {
  const suggestion = nearest(name, known);
  const listed = known.length === 0 ? `There is none.` : `Known: ${known.join(', ')}.`;
  return new Fault('E_CONFIG', `There is no ${kind} "${name}".`, {
    hint: suggestion ? `Did you mean ${suggestion}?` : (hint ?? listed),
    details: { kind, name, known, ...(suggestion && { suggestion }) },
  });
}
