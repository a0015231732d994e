import { Fault } from '../../base/fault.ts';
import type { QueueConfig } from '../session-config.ts';

/** The number of calls in a queue: `depth` counts waiting and running calls. */
export interface QueueDepth {
  readonly queue: string;
  readonly depth: number;
  readonly running: number;
}

/** Limits the concurrent calls per queue, in FIFO order. Unlike in p-limit, an aborted call leaves its queue. */
export class ToolQueues {
  readonly #queues = new Map<string, Queue>();

  constructor(config: Readonly<Record<string, QueueConfig>>) {
    for (const [name, { concurrent }] of Object.entries(config)) {
      this.#queues.set(name, { concurrent, running: 0, waiting: [] });
    }
  }

  has(name: string): boolean {
    return this.#queues.has(name);
  }

  depth(name: string): QueueDepth {
    const queue = this.#find(name);
    return { queue: name, depth: queue.running + queue.waiting.length, running: queue.running };
  }

  /** Runs the work when a slot is free; rejects with the signal's reason when it aborts while waiting. */
  async run<T>(
    name: string,
    signal: AbortSignal,
    work: () => Promise<T>,
    onQueued: (depth: QueueDepth) => void = () => {},
  ): Promise<T> {
    const queue = this.#find(name);
    const slot = acquireSlot(queue, signal);
    onQueued(this.depth(name));
    await slot;
    try {
      return await work();
    } finally {
      queue.running -= 1;
      queue.waiting.shift()?.();
    }
  }

  #find(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue !== undefined) return queue;
    throw new Fault('E_CONFIG', `Unknown queue: "${name}".`, {
      hint: 'Add it to queues in the configuration.',
      details: { queue: name, queues: [...this.#queues.keys()] },
    });
  }
}

interface Queue {
  readonly concurrent: number;
  running: number;
  readonly waiting: (() => void)[];
}

async function acquireSlot(queue: Queue, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (queue.running < queue.concurrent) {
    queue.running += 1;
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const acquire = (): void => {
      signal.removeEventListener('abort', cancel);
      queue.running += 1;
      resolve();
    };
    const cancel = (): void => {
      queue.waiting.splice(queue.waiting.indexOf(acquire), 1);
      reject(signal.reason as Error);
    };
    queue.waiting.push(acquire);
    signal.addEventListener('abort', cancel, { once: true });
  });
}
