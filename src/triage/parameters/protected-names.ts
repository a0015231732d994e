/** The kernel truncates names to this many bytes. */
const COMM_CHARACTERS = 15;

interface Matcher {
  readonly exact: ReadonlySet<string>;
  readonly prefixes: readonly string[];
  /** Results by name: many processes have the same name. */
  readonly cache: Map<string, boolean>;
}

/** Parsed patterns: the check runs twice for every process. */
const matchers = new WeakMap<readonly string[], Matcher>();

/** Returns whether a process name is protected. A pattern that ends in `*` matches as a prefix. */
export function isProtectedName(comm: string, patterns: readonly string[]): boolean {
  let matcher = matchers.get(patterns);
  if (matcher === undefined) {
    matcher = {
      exact: new Set(
        patterns.filter((one) => !one.endsWith('*')).map((one) => one.slice(0, COMM_CHARACTERS)),
      ),
      prefixes: patterns.filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1)),
      cache: new Map(),
    };
    matchers.set(patterns, matcher);
  }
  let result = matcher.cache.get(comm);
  if (result === undefined) {
    result = matcher.exact.has(comm) || matcher.prefixes.some((prefix) => comm.startsWith(prefix));
    matcher.cache.set(comm, result);
  }
  return result;
}
