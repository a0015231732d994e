/** Returns a function that reads again only after this time, by the key of its arguments. A read that fails is not remembered. */
export function rememberFor<Args extends readonly unknown[], T>(
  ms: number,
  keyOf: (...args: Args) => string,
  read: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  const known = new Map<string, { readonly until: number; readonly value: Promise<T> }>();
  return async (...args) => {
    const now = performance.now();
    for (const [key, { until }] of known) if (until < now) known.delete(key);
    const key = keyOf(...args);
    const value = known.get(key)?.value ?? read(...args);
    if (!known.has(key)) {
      known.set(key, { until: now + ms, value });
      value.catch(() => known.delete(key));
    }
    return value;
  };
}
