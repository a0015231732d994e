/** The alpha wealth that is left, and the time of its last refill. */
export interface Wealth {
  readonly amount: number;
  readonly refilledAtMs: number;
}

/** The alpha that one plan invests, fixed before the snapshot is assessed. */
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
  /** A smaller alpha would reject nothing in practice. */
  smallestBet: 0.0005,
} as const;

export function openWealth(nowMs: number): Wealth {
  return { amount: ALPHA_INVESTING.start, refilledAtMs: nowMs };
}

/** Refills the wealth to its start value once a day. */
export function refill(wealth: Wealth, nowMs: number): Wealth {
  if (nowMs - wealth.refilledAtMs < ALPHA_INVESTING.refillMs) return wealth;
  return { amount: Math.max(wealth.amount, ALPHA_INVESTING.start), refilledAtMs: nowMs };
}

export function placeBet({ amount }: Wealth): Bet {
  const alpha = Math.min(ALPHA_INVESTING.largestBet, Math.max(0, amount) / 2);
  return { alpha, exhausted: alpha < ALPHA_INVESTING.smallestBet };
}

/** Settles a bet: no rejection costs α/(1−α), a rejection earns a fixed reward. It limits errors over many plans, without a proven bound. */
export function settleBet(wealth: Wealth, { alpha }: Bet, rejections: number): Wealth {
  const change = rejections > 0 ? ALPHA_INVESTING.reward : -alpha / (1 - alpha);
  return { ...wealth, amount: Math.min(ALPHA_INVESTING.cap, Math.max(0, wealth.amount + change)) };
}
