import { programNames } from '../kinds/program-names.ts';
import type { ProcessFacts } from '../process-snapshot.ts';

/**
 * Creates a function that returns whether a pattern names a process: its name in the kernel, or its program, script, module or package. A
 * pattern that ends in `*` matches as a prefix.
 */
export function createNameMatcher(
  patterns: readonly string[],
): (process: Pick<ProcessFacts, 'command' | 'comm'>) => boolean {
  if (patterns.length === 0) return () => false;
  return ({ command, comm }) => {
    const { program, names } = programNames(command, comm);
    const known = [comm, program, baseName(command?.[0] ?? ''), ...scriptNames(command), ...names];
    return patterns.some((pattern) => known.some((name) => matches(pattern, name, name === comm)));
  };
}

/** The kernel truncates the name of a process. */
const COMM_CHARACTERS = 15;

function matches(pattern: string, name: string, isComm: boolean): boolean {
  if (name === '') return false;
  if (pattern.endsWith('*')) return name.startsWith(pattern.slice(0, -1));
  return name === pattern || (isComm && name === pattern.slice(0, COMM_CHARACTERS));
}

/** Returns the file name of the first argument, with its extension: for a script, a user writes `server.js`. */
function scriptNames(command: readonly string[] | null): readonly string[] {
  const script = command?.slice(1).find((word) => !word.startsWith('-'));
  return script === undefined ? [] : [baseName(script)];
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
