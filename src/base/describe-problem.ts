import * as v from 'valibot';

type Issue = v.BaseIssue<unknown>;

/** Checks a value; the message of each issue says in our words what is wrong. */
export function check<const T extends v.GenericSchema>(schema: T, value: unknown): v.SafeParseResult<T> {
  return v.safeParse(schema, value, { message: describeProblem });
}

/** The members that a strict object should not have; nothing for an issue of another kind. */
export function unknownMembers({ type, expected, input, requirement }: Issue): readonly string[] | undefined {
  if (type !== 'strict_object' || expected !== 'never') return undefined;
  return Array.isArray(requirement) ? (requirement as string[]) : [String(input)];
}

/** The type that a value should have had; nothing for an issue of another kind. */
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
  const unit = typeof input === 'string' ? 'characters' : 'items';
  const wanted = expectedType(issue);
  if (wanted !== undefined) return input === undefined ? 'is required' : `must be of type ${wanted}`;
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
    case 'safe_integer':
      return Number(input) > 0
        ? `must be at most ${Number.MAX_SAFE_INTEGER}`
        : `must be at least ${Number.MIN_SAFE_INTEGER}`;
    case 'regex':
      return `must match ${limit}`;
    default:
      return unknownMembers(issue) ? 'is not a known member' : 'is not valid';
  }
}

/** Lists the values there are: valibot quotes texts and puts a bar between values. */
function listValues({ expected }: Issue): string {
  return (expected ?? '').replaceAll(/^\(|\)$|"/gu, '').replaceAll(' | ', ', ');
}
