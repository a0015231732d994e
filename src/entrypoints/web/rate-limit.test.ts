import { describe, expect, it } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

describe('a rate limit', () => {
  it('stops a key after its maximum until the window has moved on, and no other key', () => {
    let now = 0;
    const limit = createRateLimit({ max: 2, windowMs: 1000, now: () => now });
    limit.count('a');
    expect(limit.waitSeconds('a')).toBeUndefined();
    now = 400;
    limit.count('a');
    expect([limit.waitSeconds('a'), limit.waitSeconds('b')]).toEqual([1, undefined]);
    now = 1001;
    expect(limit.waitSeconds('a')).toBeUndefined();
  });

  it('forgets the oldest of too many keys', () => {
    const limit = createRateLimit({ max: 1, windowMs: 1000, now: () => 0 });
    for (let index = 0; index < 1001; index += 1) limit.count(`key ${index}`);
    expect([limit.waitSeconds('key 0'), limit.waitSeconds('key 1000')]).toEqual([undefined, 1]);
  });
});
