import { Fault } from '../../base/fault.ts';
import type { QueueConfig } from '../session-config.ts';

/** How many calls of a queue wait and run. */
export interface QueueDepth {
  readonly queue: string;
  readonly depth: number;
  readonly running: number;
}

/** Holds calls back until their queue has room; first come, first served. */
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

  /** Runs the work when there is room; rejects with the signal's reason when it aborts while waiting. */
  async run<T>(
    name: string,
    signal: AbortSignal,
    work: () => Promise<T>,
    onQueued: (depth: QueueDepth) => void = () => {},
  ): Promise<T> {
    const queue = this.#find(name);
    const turn = takeTurn(queue, signal);
    onQueued(this.depth(name));
    await turn;
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
    throw new Fault('E_CONFIG', `There is no queue ${name}.`, {
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

async function takeTurn(queue: Queue, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (queue.running < queue.concurrent) {
    queue.running += 1;
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const enter = (): void => {
      signal.removeEventListener('abort', leave);
      queue.running += 1;
      resolve();
    };
    const leave = (): void => {
      queue.waiting.splice(queue.waiting.indexOf(enter), 1);
      reject(signal.reason as Error);
    };
    queue.waiting.push(enter);
    signal.addEventListener('abort', leave, { once: true });
  });
}
