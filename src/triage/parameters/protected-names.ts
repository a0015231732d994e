/** The kernel cuts names off after this many bytes. */
const COMM_CHARACTERS = 15;

interface Matcher {
  readonly exact: ReadonlySet<string>;
  readonly beginnings: readonly string[];
  /** A thousand processes share a few dozen names. */
  readonly known: Map<string, boolean>;
}

/** Asked for every process twice, so a list of patterns is taken apart once. */
const matchers = new WeakMap<readonly string[], Matcher>();

/** Tells whether a process name is one that is never touched; a pattern that ends in `*` matches by its beginning. */
export function isProtectedName(comm: string, patterns: readonly string[]): boolean {
  let matcher = matchers.get(patterns);
  if (matcher === undefined) {
    matcher = {
      exact: new Set(
        patterns.filter((one) => !one.endsWith('*')).map((one) => one.slice(0, COMM_CHARACTERS)),
      ),
      beginnings: patterns.filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1)),
      known: new Map(),
    };
    matchers.set(patterns, matcher);
  }
  let answer = matcher.known.get(comm);
  if (answer === undefined) {
    answer = matcher.exact.has(comm) || matcher.beginnings.some((beginning) => comm.startsWith(beginning));
    matcher.known.set(comm, answer);
  }
  return answer;
}
