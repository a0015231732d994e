import { runGit } from '../git.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** The line of `cat-file` before the content of an object. */
export const OBJECT_HEADER = /^([0-9a-f]+) (\w+) (\d+)$/u;

export interface ReadObject {
  readonly id: string;
  readonly type: string;
  readonly content: Buffer;
}

/** Reads objects by their names with one process; those that the repository does not have are left out. */
export async function readObjects(
  context: Pick<WorkspaceContext, 'env'>,
  root: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadObject>> {
  if (names.length === 0) return new Map();
  const input = names.map((name) => `${name}\n`).join('');
  const { output } = await runGit(context, ['cat-file', '--batch'], { cwd: root, input });
  return parseObjects(names, output);
}

/** Parses the output of `cat-file --batch`. */
export function parseObjects(names: readonly string[], output: Buffer): ReadonlyMap<string, ReadObject> {
  const found = new Map<string, ReadObject>();
  let at = 0;
  for (const name of names) {
    const end = output.indexOf(0x0a, at);
    const [, id, type, size] = OBJECT_HEADER.exec(output.toString('utf8', at, end)) ?? [];
    at = end + 1;
    if (id === undefined || type === undefined) continue;
    found.set(name, { id, type, content: output.subarray(at, at + Number(size)) });
    at += Number(size) + 1;
  }
  return found;
}
