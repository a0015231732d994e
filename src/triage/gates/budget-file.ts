import { join } from 'node:path';
import * as v from 'valibot';
import { isDamaged } from '../../base/damaged.ts';
import { number } from '../../base/schema.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import { withLock } from '../../system/lock.ts';
import { parseStored, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { openWealth, refill, type Wealth } from '../decision/alpha-investing.ts';

/** The remaining error budget of an account, across all its triage sessions. */
export interface ErrorBudget {
  /** The alpha wealth that plans invest from. */
  readonly wealth: Wealth;
  /** Times of the kills within the last day, in epoch milliseconds. */
  readonly kills: readonly number[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const FILE = 'budget.json';

/** Reads the current budget: wealth is refilled after a day, and older kills are dropped. */
export function readBudget(root: string, nowMs: number): ErrorBudget {
  const stored = parseBudget(readFileIfPresent(join(root, FILE)), nowMs);
  if (stored === undefined) return { wealth: openWealth(nowMs), kills: [] };
  return {
    wealth: refill(stored.wealth, nowMs),
    kills: stored.kills.filter((at) => nowMs - at < DAY_MS),
  };
}

/** Changes the budget under a lock. */
export async function changeBudget(
  root: string,
  nowMs: number,
  change: (budget: ErrorBudget) => ErrorBudget,
): Promise<ErrorBudget> {
  ensurePrivateFolder(root);
  return withLock(join(root, `${FILE}.lock`), () => {
    const next = change(readBudget(root, nowMs));
    writeStored(join(root, FILE), next);
    return next;
  });
}

/** Returns how many kills are left for the last 24 hours. */
export function killsLeft({ kills }: ErrorBudget, perDay: number): number {
  return Math.max(0, perDay - kills.length);
}

const BUDGET: DocumentShape<ErrorBudget> = {
  hint: (path) => `Remove ${path}; the budget starts again.`,
  schema: v.object({
    wealth: v.object({ amount: v.pipe(number(), v.minValue(0)), refilledAtMs: number() }),
    kills: v.array(number()),
  }),
};

/** Parses the file. An invalid one counts as an exhausted budget, so that damaging it cannot raise the budget. */
function parseBudget(text: string | undefined, nowMs: number): ErrorBudget | undefined {
  if (text === undefined) return undefined;
  const spent: ErrorBudget = { wealth: { amount: 0, refilledAtMs: nowMs }, kills: [] };
  try {
    const { wealth: stored, kills } = parseStored(FILE, text, BUDGET);
    const { amount, refilledAtMs } = stored;
    // A time in the future would delay the refill indefinitely.
    const wealth = { amount, refilledAtMs: Math.min(refilledAtMs, nowMs) };
    return { wealth, kills };
  } catch (error) {
    if (isDamaged(error)) return spent;
    throw error;
  }
}
