import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { raceAbort } from './race-abort.ts';

describe('work that an interruption ends', () => {
  it('settles as it does, and leaves nothing at the signal', async () => {
    const { signal } = new AbortController();
    expect(await raceAbort(Promise.resolve(1), signal)).toBe(1);
    await expect(raceAbort(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason, also of an earlier interruption', async () => {
    const controller = new AbortController();
    const waiting = raceAbort(new Promise(() => undefined), controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(raceAbort(new Promise(() => undefined), controller.signal)).rejects.toThrow('enough');
  });
});
