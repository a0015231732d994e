import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeBudget, killsLeft, readBudget } from './budget-file.ts';

const DAY = 86_400_000;
const AT = 1_800_000_000_000;
let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'deed-budget-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the budget', () => {
  it('is shared by all triage sessions', async () => {
    await changeBudget(root, AT, (budget) => ({ wealth: { ...budget.wealth, amount: 0.01 }, kills: [AT] }));
    expect(readBudget(root, AT + 1000)).toEqual({ wealth: { amount: 0.01, refilledAtMs: AT }, kills: [AT] });
  });

  it('is refilled after a day, and drops kills older than a day', async () => {
    await changeBudget(root, AT, (budget) => ({
      wealth: { ...budget.wealth, amount: 0 },
      kills: [AT, AT + 10],
    }));
    const later = readBudget(root, AT + DAY + 5);
    expect([later.wealth.amount, later.kills]).toEqual([0.05, [AT + 10]]);
    expect(killsLeft(later, 3)).toBe(2);
  });

  it.each([
    '',
    '{',
    '[]',
    '{"wealth":9}',
    '{"wealth":{"amount":-1,"refilledAtMs":0},"kills":[]}',
    '{"wealth":{"amount":"9","refilledAtMs":0},"kills":[]}',
  ])('counts as exhausted when its file is %s', (text) => {
    writeFileSync(join(root, 'budget.json'), text);
    expect(readBudget(root, AT).wealth.amount).toBe(0);
    expect(readBudget(root, AT).wealth.refilledAtMs).toBe(AT);
  });

  it('loses no concurrent change', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        changeBudget(root, AT, (budget) => ({ ...budget, kills: [...budget.kills, AT + index] })),
      ),
    );
    expect(readBudget(root, AT).kills.length).toBe(20);
  });
});
