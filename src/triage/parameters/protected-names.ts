import { oncePer } from '../../base/once-per.ts';

/** The kernel truncates names to this many bytes. */
const COMM_CHARACTERS = 15;

/** Parsed patterns: the check runs for every process. */
const parse = oncePer((patterns: readonly string[]) => ({
  exact: new Set(
    patterns.filter((name) => !name.endsWith('*')).map((name) => name.slice(0, COMM_CHARACTERS)),
  ),
  prefixes: patterns.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1)),
}));

/** Returns whether a process name is protected. A pattern that ends in `*` matches as a prefix. */
export function isProtectedName(comm: string, patterns: readonly string[]): boolean {
  const { exact, prefixes } = parse(patterns);
  return exact.has(comm) || prefixes.some((prefix) => comm.startsWith(prefix));
}
