import { describe, expect, it } from 'vitest';
import { withinDeadline } from './within-deadline.ts';

const TIMEOUT_MS = 200;

describe('a time limit', () => {
  it('ends a function that does not end', () => {
    const endless = (): never => {
      for (;;);
    };
    expect(() => withinDeadline(TIMEOUT_MS, 'it', endless)).toThrow('it takes more than 0.2 seconds');
  });

  it('gives a function another try that got no processor time', () => {
    let calls = 0;
    const stalledOnce = (): string => {
      calls += 1;
      if (calls === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10 * TIMEOUT_MS);
      return 'done';
    };
    expect([withinDeadline(TIMEOUT_MS, 'it', stalledOnce), calls]).toEqual(['done', 2]);
  });
});
