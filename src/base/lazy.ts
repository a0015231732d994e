/** Returns a function that creates a value at the first call and returns the same one afterwards. */
export function lazy<T>(create: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: create() }).value;
}
