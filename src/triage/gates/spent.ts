import type { Assessment } from '../assessment.ts';

/** What an apply has done so far. Each process counts once, whether it was a target or a descendant of a target. */
export interface Spent {
  readonly memoryMb: number;
  readonly kills: number;
  /** The processes that are counted, as `pid:startTicks`. */
  readonly counted: ReadonlySet<string>;
}

export const NOTHING_SPENT: Spent = { memoryMb: 0, kills: 0, counted: new Set() };

type Tree = Pick<Assessment, 'pid' | 'startTicks' | 'tree' | 'blast_radius'>;

/** Returns what an action on a process adds: the members of its tree that are not counted yet. */
export function costOf(
  target: Tree,
  { counted }: Spent,
): { readonly memoryMb: number; readonly kills: number } {
  const fresh = membersOf(target).filter((member) => !counted.has(keyOf(member)));
  return { memoryMb: fresh.reduce((sum, { memoryMb }) => sum + memoryMb, 0), kills: fresh.length };
}

/** Adds an action on a process. */
export function spend(target: Tree, spent: Spent, isKill: boolean): Spent {
  const { memoryMb, kills } = costOf(target, spent);
  return {
    memoryMb: spent.memoryMb + memoryMb,
    kills: spent.kills + (isKill ? kills : 0),
    counted: new Set([...spent.counted, ...membersOf(target).map(keyOf)]),
  };
}

type Member = { readonly pid: number; readonly startTicks: number; readonly memoryMb: number };

/** Plans of earlier versions have only the memory of the whole tree. */
function membersOf({ pid, startTicks, tree, blast_radius }: Tree): readonly Member[] {
  const isMeasured = tree.length > 0 && tree.every(({ memoryMb }) => memoryMb !== undefined);
  if (!isMeasured) return [{ pid, startTicks, memoryMb: blast_radius.memory_mb }];
  return tree.map((member) => ({ ...member, memoryMb: member.memoryMb ?? 0 }));
}

function keyOf({ pid, startTicks }: { readonly pid: number; readonly startTicks: number }): string {
  return `${pid}:${startTicks}`;
}
