import type { Reads } from './commands.ts';

type Job = Pick<Reads['work status']['output'], 'status' | 'waiting' | 'queue' | 'items'>;

/**
 * How many items of a job have not run although no process works on it and no run waits for a decision: a person must continue it. The
 * items of a queue are run by its workers.
 */
export function itemsLeft({ status, waiting, queue, items }: Job): number {
  if (status === 'running' || waiting.length > 0 || queue !== undefined) return 0;
  return items.filter((item) => item.status === 'pending' || item.status === 'ready').length;
}
