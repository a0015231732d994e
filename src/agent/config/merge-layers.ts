import { isPlainObject } from '../../base/json.ts';

/** The merged tree, and the trees that its values came from. */
export interface Merged<O> extends Origins<O> {
  readonly values: Record<string, unknown>;
}

export interface Origins<O> {
  readonly originOf: (path: readonly string[]) => O | undefined;
  /** Returns the origins of the value at a path and of everything inside it. */
  readonly originsUnder: (path: readonly string[]) => readonly O[];
}

/**
 * Merges trees key by key, highest priority first: objects are merged, any other value comes from the highest tree that has it.
 * `originOf` returns the tree that a value, given by its path, came from.
 */
export function mergeLayers<O>(
  layers: readonly { readonly origin: O; readonly values: unknown }[],
): Merged<O> {
  const origins = new Map<string, O>();
  let values: unknown = {};
  for (const { origin, values: stronger } of layers.toReversed()) {
    values = merge(values, stronger, [], (path) => origins.set(JSON.stringify(path), origin));
  }
  return {
    values: values as Record<string, unknown>,
    originOf: (path) => origins.get(JSON.stringify(path)),
    originsUnder: (path) => {
      const prefix = JSON.stringify(path).slice(0, -1);
      return [...origins]
        .filter(([key]) => key.startsWith(`${prefix},`) || key === `${prefix}]`)
        .map(([, origin]) => origin);
    },
  };
}

function merge(
  weaker: unknown,
  stronger: unknown,
  path: readonly string[],
  recordOrigin: (path: readonly string[]) => void,
): unknown {
  if (!isPlainObject(stronger)) {
    recordOrigin(path);
    return stronger;
  }
  const result: Record<string, unknown> = isPlainObject(weaker) ? { ...weaker } : {};
  for (const [key, value] of Object.entries(stronger)) {
    const merged = merge(result[key], value, [...path, key], recordOrigin);
    // Not assigned, because a key may be __proto__.
    Object.defineProperty(result, key, {
      value: merged,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}
