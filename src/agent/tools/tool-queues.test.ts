import { describe, expect, it } from 'vitest';
import { Fault } from '../../base/fault.ts';
import { ToolQueues } from './tool-queues.ts';

const never = new AbortController().signal;

describe('a queue', () => {
  it('runs calls in FIFO order and removes calls that are cancelled while waiting', async () => {
    const queues = new ToolQueues({ one: { concurrent: 1 } });
    const order: string[] = [];
    let release = (): void => {};
    const held = queues.run('one', never, async () => new Promise<void>((resolve) => (release = resolve)));
    const cancel = new AbortController();
    const cancelled = queues.run('one', cancel.signal, async () => order.push('cancelled'));
    const next = queues.run('one', never, async () => order.push('next'));
    expect(queues.depth('one')).toEqual({ queue: 'one', depth: 3, running: 1 });
    cancel.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
    expect(queues.depth('one').depth).toBe(2);
    release();
    await Promise.all([held, next]);
    expect(order).toEqual(['next']);
    expect(queues.depth('one')).toEqual({ queue: 'one', depth: 0, running: 0 });
  });

  it('frees its slot when the work fails', async () => {
    const queues = new ToolQueues({ one: { concurrent: 1 } });
    const fails = queues.run('one', never, async () => {
      throw new Error('no');
    });
    await expect(fails).rejects.toThrow('no');
    expect(await queues.run('one', never, async () => 'next')).toBe('next');
  });

  it('that is unknown throws a Fault', async () => {
    await expect(new ToolQueues({}).run('nowhere', never, async () => 1)).rejects.toThrow(Fault);
  });
});
