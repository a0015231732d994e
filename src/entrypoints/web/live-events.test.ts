import { describe, expect, it } from 'vitest';
import { createQueue } from './live-events.ts';

const runs = (...ids: string[]) => ({ tasks: [], events: [], runs: ids, jobs: [], sessions: [] });

describe('the queue of a client', () => {
  it('merges changes until they are read', async () => {
    const queue = createQueue();
    queue.add(runs('a', 'b'));
    queue.add({ tasks: ['t'], events: ['1'], runs: ['b', 'c'], jobs: ['j'], sessions: ['s'] });
    const changes = { tasks: ['t'], events: ['1'], runs: ['a', 'b', 'c'], jobs: ['j'], sessions: ['s'] };
    expect(await queue.next(0)).toEqual({ type: 'changes', changes });
    expect(await queue.next(0)).toBeUndefined();
  });

  it('wakes a client that waits', async () => {
    const queue = createQueue();
    const next = queue.next(60_000);
    queue.add(runs('a'));
    expect(await next).toEqual({ type: 'changes', changes: runs('a') });
  });

  it('ends its wait when the client leaves', async () => {
    const queue = createQueue();
    const next = queue.next(60_000);
    queue.wake();
    expect(await next).toBeUndefined();
  });

  it('of a slow client becomes the advice to read everything again, and stays small', async () => {
    const queue = createQueue();
    for (let index = 0; index < 10_000; index += 1) queue.add(runs(`run ${index}`));
    expect(await queue.next(0)).toEqual({ type: 'resync' });
    queue.add(runs('later'));
    expect(await queue.next(0)).toEqual({ type: 'changes', changes: runs('later') });
  });
});
