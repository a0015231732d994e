/** What is left to be risked, and when it was last filled up. */
export interface Wealth {
  readonly amount: number;
  readonly refilledAtMs: number;
}

/** One bet a plan, fixed before anything is looked at. */
export interface Bet {
  readonly alpha: number;
  readonly exhausted: boolean;
}

export const ALPHA_INVESTING = {
  start: 0.05,
  cap: 0.1,
  largestBet: 0.05,
  reward: 0.025,
  refillMs: 24 * 3_600_000,
  /** Below this a bet could reject nothing that matters. */
  smallestBet: 0.0005,
} as const;

export function openWealth(nowMs: number): Wealth {
  return { amount: ALPHA_INVESTING.start, refilledAtMs: nowMs };
}

/** Fills the wealth up to its start once a day: who waits may try again. */
export function refill(wealth: Wealth, nowMs: number): Wealth {
  if (nowMs - wealth.refilledAtMs < ALPHA_INVESTING.refillMs) return wealth;
  return { amount: Math.max(wealth.amount, ALPHA_INVESTING.start), refilledAtMs: nowMs };
}

export function placeBet({ amount }: Wealth): Bet {
  const alpha = Math.min(ALPHA_INVESTING.largestBet, Math.max(0, amount) / 2);
  return { alpha, exhausted: alpha < ALPHA_INVESTING.smallestBet };
}

/** Settles a bet: finding nothing costs α/(1−α), finding something earns a little. A brake over many plans, not a theorem. */
export function settleBet(wealth: Wealth, { alpha }: Bet, rejections: number): Wealth {
  const change = rejections > 0 ? ALPHA_INVESTING.reward : -alpha / (1 - alpha);
  return { ...wealth, amount: Math.min(ALPHA_INVESTING.cap, Math.max(0, wealth.amount + change)) };
}
