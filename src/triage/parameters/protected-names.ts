/** Tells whether a process name is one that is never touched; a pattern that ends in `*` matches by its beginning. */
export function isProtectedName(comm: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? comm.startsWith(pattern.slice(0, -1)) : comm === pattern.slice(0, 15),
  );
}
