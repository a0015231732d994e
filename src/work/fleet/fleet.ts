import type { WorkContext } from '../work-context.ts';
import type { ItemActivity } from './item-activity.ts';
import type { ItemRemote } from './item-refs.ts';
import type { QueueBudget } from './queue-budget.ts';
import type { WorkQueue } from './work-queue.ts';

/** What a worker or an integrator works with. */
export interface Fleet {
  /** The name under which it writes to item refs. */
  readonly id: string;
  readonly host: string;
  readonly work: WorkContext;
  readonly queue: WorkQueue;
  /** The name of the queue in the database. */
  readonly queueName: string;
  /** The clone of this host, and its remote. */
  readonly remote: ItemRemote;
  /** The name of the repository, which its clones share. */
  readonly repository: string;
  /** What this process runs, for others to see. */
  readonly activity: ItemActivity;
  /** A keyring that an integrator uses instead of the home's: only results of the workers in this keyring land. */
  readonly keysFolder?: string | undefined;
  /** What the runs of this process cost; workers have one. */
  readonly budget?: QueueBudget | undefined;
  /** Reports what happens. */
  readonly report: (message: string) => void;
}
