import { join } from 'node:path';
import { isPlainObject } from '../../base/json.ts';
import { isoTime } from '../../base/clock.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import { withLock } from '../../system/lock.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';

/** What may still be risked, over all sessions of an account. */
export interface Budget {
  /** Alpha wealth: what bets are taken from. */
  readonly wealth: number;
  /** The day, UTC, on which the wealth was refilled last. */
  readonly refilled_on: string;
  /** When trees were killed, within the last day. */
  readonly kills: readonly string[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const FILE = 'budget.json';

/** How the wealth grows back; the rule itself belongs to the decision. */
export interface Refill {
  readonly initialWealth: number;
  readonly refill: (wealth: number) => number;
}

/** Reads the budget as it stands now: refilled when a new day has begun, kills of yesterday forgotten. */
export function readBudget(root: string, nowMs: number, rules: Refill): Budget {
  const today = isoTime(nowMs).slice(0, 10);
  const stored = parseBudget(readFileIfPresent(join(root, FILE)));
  if (stored === undefined) return { wealth: rules.initialWealth, refilled_on: today, kills: [] };
  const kills = stored.kills.filter((at) => nowMs - Date.parse(at) < DAY_MS);
  if (stored.refilled_on >= today) return { ...stored, kills };
  return { wealth: rules.refill(stored.wealth), refilled_on: today, kills };
}

/** Changes the budget while no other process does. */
export async function changeBudget(
  root: string,
  nowMs: number,
  rules: Refill,
  change: (budget: Budget) => Budget,
): Promise<Budget> {
  ensurePrivateFolder(root);
  return withLock(join(root, `${FILE}.lock`), () => {
    const next = change(readBudget(root, nowMs, rules));
    writeFileDurably(join(root, FILE), `${JSON.stringify(next)}\n`);
    return next;
  });
}

/** Kills that are left for the rolling day. */
export function killsLeft({ kills }: Budget, perDay: number): number {
  return Math.max(0, perDay - kills.length);
}

/** A file that cannot be read as a budget counts as none left: it must not be a way to more. */
function parseBudget(text: string | undefined): Budget | undefined {
  if (text === undefined) return undefined;
  const spent: Budget = { wealth: 0, refilled_on: '', kills: [] };
  try {
    const value: unknown = JSON.parse(text);
    if (!isPlainObject(value)) return spent;
    const { wealth, refilled_on, kills } = value;
    if (typeof wealth !== 'number' || !(wealth >= 0) || typeof refilled_on !== 'string') return spent;
    const times = Array.isArray(kills) ? kills.filter((at) => typeof at === 'string') : [];
    return { wealth, refilled_on, kills: times };
  } catch {
    return spent;
  }
}
