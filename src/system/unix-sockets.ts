import { lstatSync, readFileSync } from 'node:fs';

/** Lists the Unix sockets of this machine that have a path; empty when the system does not report them. */
export function listUnixSockets(table = '/proc/net/unix'): readonly string[] {
  try {
    const named = parseUnixSockets(readFileSync(table, 'utf8'));
    return [...new Set(named)].filter(
      (path) => lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true,
    );
  } catch {
    return [];
  }
}

/** Parses the paths of a socket table; abstract names, which start with `@`, are not files. */
export function parseUnixSockets(text: string): readonly string[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => /^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (\/.*)$/u.exec(line)?.[1] ?? []);
}
