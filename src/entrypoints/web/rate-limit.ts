/** Counts events per key in a sliding window. */
export interface RateLimit {
  /** The seconds until the key is allowed again; undefined when it is allowed now. */
  readonly waitSeconds: (key: string) => number | undefined;
  readonly count: (key: string) => void;
}

interface RateLimitOptions {
  readonly max: number;
  readonly windowMs: number;
  readonly now: () => number;
}

/** Above this the oldest keys are forgotten, so that many senders do not fill the memory. */
const MAX_KEYS = 1000;

export function createRateLimit({ max, windowMs, now }: RateLimitOptions): RateLimit {
  const events = new Map<string, readonly number[]>();
  const recent = (key: string): readonly number[] =>
    (events.get(key) ?? []).filter((at) => now() - at < windowMs);
  return {
    waitSeconds: (key) => {
      const [first, ...rest] = recent(key);
      if (first === undefined || rest.length + 1 < max) return undefined;
      return Math.max(1, Math.ceil((first + windowMs - now()) / 1000));
    },
    count: (key) => {
      const next = [...recent(key), now()].slice(-max);
      events.delete(key);
      events.set(key, next);
      const [oldest] = events.keys();
      if (events.size > MAX_KEYS && oldest !== undefined) events.delete(oldest);
    },
  };
}
