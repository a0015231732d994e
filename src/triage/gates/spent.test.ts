import { expect, test } from 'vitest';
import type { Assessment } from '../assessment.ts';
import { costOf, NOTHING_SPENT, spend } from './spent.ts';

const member = (pid: number, memoryMb: number) => ({ pid, startTicks: 1, memoryMb });
const target = (pid: number, tree: Assessment['tree']) => ({
  pid,
  startTicks: 1,
  tree,
  blast_radius: { memory_mb: 999 } as Assessment['blast_radius'],
});
const child = target(11, [member(12, 5), member(11, 20)]);
const parent = target(10, [member(12, 5), member(11, 20), member(10, 100)]);

test('every process of a tree counts against the limits, target or descendant', () => {
  expect(costOf(parent, NOTHING_SPENT)).toEqual({ memoryMb: 125, kills: 3 });
});

test('a process counts once, even if it is a target and a descendant of another', () => {
  const afterChild = spend(child, NOTHING_SPENT, true);
  expect(afterChild).toMatchObject({ memoryMb: 25, kills: 2 });
  expect(costOf(parent, afterChild)).toEqual({ memoryMb: 100, kills: 1 });
  expect(spend(child, spend(parent, NOTHING_SPENT, true), true)).toMatchObject({ memoryMb: 125, kills: 3 });
});

test('a pid that was reused is another process', () => {
  const reused = target(11, [{ ...member(11, 7), startTicks: 2 }]);
  expect(costOf(reused, spend(child, NOTHING_SPENT, true))).toEqual({ memoryMb: 7, kills: 1 });
});

test('other actions than a kill do not count as kills', () => {
  expect(spend(parent, NOTHING_SPENT, false)).toMatchObject({ memoryMb: 125, kills: 0 });
});
