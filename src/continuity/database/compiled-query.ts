import { ownMember } from '../../base/own-member.ts';

/** A constant, or the name of a value in a one-element array. */
export type CompiledParameter = string | number | null | readonly [string];

/** A statement as the database receives it, with its parameters in order. */
export type CompiledQuery = readonly [sql: string, parameters: readonly CompiledParameter[]];

/** By the name of the query, the statement and in the next line its parameters as JSON. A call parses only those that it uses. */
export type CompiledQueries = Readonly<Record<string, string>>;

export function findCompiled(queries: CompiledQueries, name: string): CompiledQuery | undefined {
  const found = ownMember(queries, name);
  if (found === undefined) return undefined;
  const end = found.lastIndexOf('\n');
  return [found.slice(0, end), JSON.parse(found.slice(end + 1)) as readonly CompiledParameter[]];
}

/** The parameters of a statement with their values; booleans are stored as 0 and 1. */
export function bindValues(
  parameters: readonly CompiledParameter[],
  values: Readonly<Record<string, unknown>>,
): (string | number | null)[] {
  return parameters.map((parameter) => {
    const value = Array.isArray(parameter) ? values[parameter[0] as string] : parameter;
    return typeof value === 'boolean' ? Number(value) : ((value ?? null) as string | number | null);
  });
}
