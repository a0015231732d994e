import * as v from 'valibot';

type Issue = v.BaseIssue<unknown>;

/** Validates a value; each issue has a message of ours that describes the problem. */
export function check<const T extends v.GenericSchema>(schema: T, value: unknown): v.SafeParseResult<T> {
  return v.safeParse(schema, value, { message: describeProblem });
}

/** The unknown members of a strict object; undefined for any other issue. */
export function unknownMembers({ type, expected, input, requirement }: Issue): readonly string[] | undefined {
  if (type !== 'strict_object' || expected !== 'never') return undefined;
  return Array.isArray(requirement) ? (requirement as string[]) : [String(input)];
}

/** The expected type of a value; undefined for any other issue. */
export function expectedType({ kind, type, expected, input }: Issue): string | undefined {
  if (type === 'finite' || (type === 'safe_integer' && !Number.isFinite(input))) return 'number';
  if (type === 'safe_integer') return Number.isInteger(input) ? undefined : 'int';
  if (type === 'variant' && expected === 'Object') return 'object';
  if (kind !== 'schema' || NOT_OF_TYPE.has(type) || expected === 'never') return undefined;
  return type === 'record' ? type : (expected ?? type).toLowerCase();
}

const NOT_OF_TYPE = new Set(['picklist', 'literal', 'union', 'variant']);

function describeProblem(issue: Issue): string {
  const { type, input, requirement } = issue;
  const limit = String(requirement);
  const unit = `${typeof input === 'string' ? 'character' : 'item'}${limit === '1' ? '' : 's'}`;
  const expected = expectedType(issue);
  if (expected !== undefined) return input === undefined ? 'is required' : `must be of type ${expected}`;
  switch (type) {
    case 'picklist':
    case 'literal':
    case 'variant':
      return `must be one of ${listValues(issue)}`;
    case 'min_length':
      return `must have at least ${limit} ${unit}`;
    case 'max_length':
      return `must have at most ${limit} ${unit}`;
    case 'length':
      return `must have ${limit} ${unit}`;
    case 'min_value':
      return `must be at least ${limit}`;
    case 'max_value':
      return `must be at most ${limit}`;
    case 'gt_value':
      return `must be greater than ${limit}`;
    case 'lt_value':
      return `must be less than ${limit}`;
    case 'safe_integer':
      return Number(input) > 0
        ? `must be at most ${Number.MAX_SAFE_INTEGER}`
        : `must be at least ${Number.MIN_SAFE_INTEGER}`;
    case 'regex':
      return `must match ${limit}`;
    case 'union':
      return input === undefined ? 'is required' : 'is not valid';
    case 'check':
      return 'is not valid';
    default:
      return unknownMembers(issue) ? 'is not a known member' : issue.message;
  }
}

/** Lists the allowed values: valibot quotes strings and separates values with a bar. */
function listValues({ expected }: Issue): string {
  return (expected ?? '').replaceAll(/^\(|\)$|"/gu, '').replaceAll(' | ', ', ');
}
