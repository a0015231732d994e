import type { Change, Entry } from '../workspace/workspace.ts';

/** Says in one sentence where two lists of changes first differ, in the order of paths; nothing when they do not. */
export function firstDivergence(recorded: readonly Change[], repeated: readonly Change[]): string | null {
  const then = new Map(recorded.map((change) => [change.path, change]));
  const now = new Map(repeated.map((change) => [change.path, change]));
  for (const path of [...new Set([...then.keys(), ...now.keys()])].sort()) {
    const [before, after] = [then.get(path), now.get(path)];
    if (before === undefined) return `${path}: only the replay changed it (${after?.action})`;
    if (after === undefined) return `${path}: the replay did not change it (${before.action} then)`;
    const difference = differ(before.after, after.after);
    if (difference !== undefined) return `${path}: ${difference}`;
  }
  return null;
}

function differ(then: Entry | undefined, now: Entry | undefined): string | undefined {
  if (then?.type !== now?.type) return `${then?.type ?? 'nothing'} then, ${now?.type ?? 'nothing'} now`;
  if (then?.hash !== now?.hash)
    return `other content (${then?.hash.slice(0, 12)} then, ${now?.hash.slice(0, 12)} now)`;
  if (then?.mode !== now?.mode) return `mode ${then?.mode.toString(8)} then, ${now?.mode.toString(8)} now`;
  return undefined;
}
