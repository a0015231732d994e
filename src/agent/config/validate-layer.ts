import * as v from 'valibot';
import { check, unknownMembers } from '../../base/describe-problem.ts';
import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import { suggestKeys } from './suggest-keys.ts';

/** Validates data against a schema. Throws a Fault with the file, the path in it and the problem. */
export function validateLayer<T extends v.GenericSchema>(
  schema: T,
  values: unknown,
  layer: string,
): v.InferOutput<T> {
  const result = check(schema, values);
  if (result.success) return result.output;
  const problems = result.issues.map((issue) => toProblem(issue, schema));
  // A missing key is often only misspelled.
  const first = problems.find(({ known }) => known !== undefined) ?? problems[0];
  const place = first?.path === '' ? '' : `${first?.path}: `;
  const problem = first?.problem ?? 'is not valid';
  throw new Fault('E_CONFIG', `${layer}: ${place}${problem}${problem.endsWith('?') ? '' : '.'}`, {
    hint: first?.known === undefined ? `Fix ${layer}.` : `Known keys there: ${first.known.join(', ')}.`,
    details: { layer, ...first, problems },
  });
}

type Problem = {
  readonly path: string;
  readonly problem: string;
  /** For an unknown key: the keys at its place. */
  readonly known?: string[];
};

function toProblem(issue: v.BaseIssue<unknown>, schema: v.GenericSchema): Problem {
  const path = v.getDotPath(issue) ?? '';
  if (!unknownMembers(issue)) return { path, problem: issue.message };
  const { suggestion, known } = suggestKeys(
    schema,
    (issue.path ?? []).map(({ key }) => String(key)),
  );
  const meant = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return { path, problem: `is not a known key${meant}`, known: [...known] };
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
