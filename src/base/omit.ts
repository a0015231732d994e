/** Returns a copy of an object without these members. */
export function omit<T extends object, K extends keyof T>(value: T, ...names: readonly K[]): Omit<T, K> {
  const omitted: ReadonlySet<PropertyKey> = new Set(names);
  return Object.fromEntries(Object.entries(value).filter(([name]) => !omitted.has(name))) as Omit<T, K>;
}
