import { join } from 'node:path';
import { isPlainObject } from '../../base/json.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import { withLock } from '../../system/lock.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { openWealth, refill, type Wealth } from '../decision/alpha-investing.ts';

/** What may still be risked, over all sessions of an account. */
export interface Budget {
  /** What the bets of plans are taken from. */
  readonly wealth: Wealth;
  /** When trees were killed, in epoch milliseconds, within the last day. */
  readonly kills: readonly number[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const FILE = 'budget.json';

/** Reads the budget as it stands now: the wealth refilled when its day is over, older kills forgotten. */
export function readBudget(root: string, nowMs: number): Budget {
  const stored = parseBudget(readFileIfPresent(join(root, FILE)), nowMs);
  if (stored === undefined) return { wealth: openWealth(nowMs), kills: [] };
  return {
    wealth: refill(stored.wealth, nowMs),
    kills: stored.kills.filter((at) => nowMs - at < DAY_MS),
  };
}

/** Changes the budget while no other process does. */
export async function changeBudget(
  root: string,
  nowMs: number,
  change: (budget: Budget) => Budget,
): Promise<Budget> {
  ensurePrivateFolder(root);
  return withLock(join(root, `${FILE}.lock`), () => {
    const next = change(readBudget(root, nowMs));
    writeFileDurably(join(root, FILE), `${JSON.stringify(next)}\n`);
    return next;
  });
}

/** Kills that are left for the rolling day. */
export function killsLeft({ kills }: Budget, perDay: number): number {
  return Math.max(0, perDay - kills.length);
}

/** A file that cannot be read as a budget counts as spent a moment ago: damage must not be a way to more. */
function parseBudget(text: string | undefined, nowMs: number): Budget | undefined {
  if (text === undefined) return undefined;
  const spent: Budget = { wealth: { amount: 0, refilledAtMs: nowMs }, kills: [] };
  try {
    const value: unknown = JSON.parse(text);
    if (!isPlainObject(value) || !isPlainObject(value.wealth) || !Array.isArray(value.kills)) return spent;
    const { amount, refilledAtMs } = value.wealth;
    if (typeof amount !== 'number' || !(amount >= 0) || typeof refilledAtMs !== 'number') return spent;
    // A day that lies ahead would never be over.
    const wealth = { amount, refilledAtMs: Math.min(refilledAtMs, nowMs) };
    return { wealth, kills: value.kills.filter((at) => typeof at === 'number') };
  } catch {
    return spent;
  }
}
