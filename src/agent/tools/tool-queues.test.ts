import { describe, expect, it } from 'vitest';
import { Fault } from '../../base/fault.ts';
import { ToolQueues } from './tool-queues.ts';

const never = new AbortController().signal;

describe('a queue', () => {
  it('serves first come, first served, and forgets who left while waiting', async () => {
    const queues = new ToolQueues({ one: { concurrent: 1 } });
    const order: string[] = [];
    let release = (): void => {};
    const held = queues.run('one', never, async () => new Promise<void>((resolve) => (release = resolve)));
    const leaving = new AbortController();
    const left = queues.run('one', leaving.signal, async () => order.push('left'));
    const stays = queues.run('one', never, async () => order.push('stays'));
    expect(queues.depth('one')).toEqual({ queue: 'one', depth: 3, running: 1 });
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(queues.depth('one').depth).toBe(2);
    release();
    await Promise.all([held, stays]);
    expect(order).toEqual(['stays']);
    expect(queues.depth('one')).toEqual({ queue: 'one', depth: 0, running: 0 });
  });

  it('gives its place back when the work fails', async () => {
    const queues = new ToolQueues({ one: { concurrent: 1 } });
    const fails = queues.run('one', never, async () => {
      throw new Error('no');
    });
    await expect(fails).rejects.toThrow('no');
    expect(await queues.run('one', never, async () => 'next')).toBe('next');
  });

  it('that does not exist is a fault that names those that do', async () => {
    await expect(new ToolQueues({}).run('nowhere', never, async () => 1)).rejects.toThrow(Fault);
  });
});
