import * as v from 'valibot';
import { check, unknownMembers } from '../../base/describe-problem.ts';
import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';

/** Validates data against a schema. Throws a Fault with the file, the path in it and the problem. */
export function validateLayer<T extends v.GenericSchema>(
  schema: T,
  values: unknown,
  layer: string,
): v.InferOutput<T> {
  const result = check(schema, values);
  if (result.success) return result.output;
  const problems = result.issues.map(toProblem);
  const [first] = problems;
  const place = first?.path === '' ? '' : `${first?.path}: `;
  throw new Fault('E_CONFIG', `${layer}: ${place}${first?.problem ?? 'is not valid'}.`, {
    hint: `Fix ${layer}.`,
    details: { layer, ...first, problems },
  });
}

function toProblem(issue: v.BaseIssue<unknown>): { path: string; problem: string } {
  const path = v.getDotPath(issue) ?? '';
  return { path, problem: unknownMembers(issue) ? 'is not a known key' : issue.message };
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
