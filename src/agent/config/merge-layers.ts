import { isPlainObject } from '../../base/json.ts';

/**
 * Merges trees key by key, the strongest first: objects are merged, anything else is taken whole from the strongest tree that has
 * it. Tells for each value, by its path, which tree it came from.
 */
export function mergeLayers<O>(layers: readonly { readonly origin: O; readonly values: unknown }[]): {
  readonly values: Record<string, unknown>;
  readonly originOf: (path: readonly string[]) => O | undefined;
} {
  const origins = new Map<string, O>();
  let values: unknown = {};
  for (const { origin, values: stronger } of layers.toReversed()) {
    values = merge(values, stronger, [], (path) => origins.set(JSON.stringify(path), origin));
  }
  return {
    values: values as Record<string, unknown>,
    originOf: (path) => origins.get(JSON.stringify(path)),
  };
}

function merge(
  weaker: unknown,
  stronger: unknown,
  path: readonly string[],
  note: (path: readonly string[]) => void,
): unknown {
  if (!isPlainObject(stronger)) {
    note(path);
    return stronger;
  }
  const result: Record<string, unknown> = isPlainObject(weaker) ? { ...weaker } : {};
  for (const [key, value] of Object.entries(stronger)) {
    const merged = merge(result[key], value, [...path, key], note);
    // Defined, not assigned: a key may be called __proto__.
    Object.defineProperty(result, key, {
      value: merged,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}
