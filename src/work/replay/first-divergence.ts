import type { TreeChange, TreeEntry } from '../workspace/workspace.ts';

/** Describes the first difference between two lists of changes, sorted by path; null if they are equal. */
export function firstDivergence(
  recorded: readonly TreeChange[],
  repeated: readonly TreeChange[],
): string | null {
  const expected = new Map(recorded.map((change) => [change.path, change]));
  const actual = new Map(repeated.map((change) => [change.path, change]));
  for (const path of [...new Set([...expected.keys(), ...actual.keys()])].sort()) {
    const [before, after] = [expected.get(path), actual.get(path)];
    if (before === undefined) return `${path}: changed only by the replay (${after?.action})`;
    if (after === undefined) return `${path}: not changed by the replay (recorded: ${before.action})`;
    const difference = differ(before.after, after.after);
    if (difference !== undefined) return `${path}: ${difference}`;
  }
  return null;
}

function differ(recorded: TreeEntry | undefined, actual: TreeEntry | undefined): string | undefined {
  if (recorded?.type !== actual?.type)
    return `type ${actual?.type ?? 'none'} (recorded: ${recorded?.type ?? 'none'})`;
  if (recorded?.hash !== actual?.hash)
    return `content ${actual?.hash.slice(0, 12)} (recorded: ${recorded?.hash.slice(0, 12)})`;
  if (recorded?.mode !== actual?.mode)
    return `mode ${actual?.mode.toString(8)} (recorded: ${recorded?.mode.toString(8)})`;
  return undefined;
}
