import { describe, expect, it } from 'vitest';
import { readRetryHints } from './retry-hints.ts';

const NOW = Date.UTC(2030, 0, 1);
const wait = (headers: Record<string, string>, body?: unknown): number | undefined =>
  readRetryHints(headers, body, NOW);

describe('the retry delay', () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'Retry-After': '7' }, 7000],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': new Date(NOW + 9000).toUTCString() }, 9000],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'x-ratelimit-reset-requests': '1m30s', 'x-ratelimit-reset-tokens': '20ms' }, 90_000],
    [{ 'x-ratelimit-reset': String(NOW + 4000) }, 4000],
    [{ 'x-ratelimit-reset': String(NOW / 1000 + 5) }, 5000],
    [{ 'anthropic-ratelimit-tokens-reset': new Date(NOW + 3000).toISOString() }, 3000],
    [{ 'retry-after': '2', 'retry-after-ms': '2500' }, 2500],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '2', 'x-ratelimit-reset-requests': '6m0s' }, 2000],
    [{ 'retry-after': 'soon', 'x-ratelimit-reset-requests': '3s' }, 3000],
  ])('is that of Retry-After, or the longest hint, in %j', (headers, expected) => {
    expect(wait(headers)).toBe(expected);
  });

  it('is also read from the body', () => {
    expect(wait({}, { error: { details: [{ retryDelay: '13s' }, {}] } })).toBe(13_000);
    expect(wait({}, { error: { metadata: { headers: { 'X-RateLimit-Reset': String(NOW + 1000) } } } })).toBe(
      1000,
    );
    expect(wait({}, 'no object')).toBeUndefined();
  });
});
