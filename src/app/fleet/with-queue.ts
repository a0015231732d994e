import { isPostgresUrl } from '../../continuity/database/store-address.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { WorkQueue } from '../../work/fleet/work-queue.ts';
import { locateStore } from '../locate-store.ts';

type QueueContext = Pick<CommandContext, 'system' | 'home'>;

/** Uses the queue of this home's store. */
export async function withQueue<T>(context: QueueContext, use: (queue: WorkQueue) => Promise<T>): Promise<T> {
  const { openQueue } = await import('./open-fleet.ts');
  const queue = await openQueue(context);
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}

/** Whether the store of this home can have a queue. */
export function hasQueue(context: QueueContext): boolean {
  return isPostgresUrl(locateStore({}, context).path);
}
