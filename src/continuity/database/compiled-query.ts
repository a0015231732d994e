/** A constant, or the name of a value in a one-element array. */
export type CompiledParameter = string | number | null | readonly [string];

/** A statement as the database receives it, with its parameters in order. */
export type CompiledQuery = readonly [sql: string, parameters: readonly CompiledParameter[]];

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
