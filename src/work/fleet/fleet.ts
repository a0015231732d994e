import type { WorkContext } from '../work-context.ts';
import type { RemotePlace } from '../workspace/remote/remote-refs.ts';
import type { WorkspaceContext } from '../workspace/workspace.ts';
import type { QueueBudget } from './queue-budget.ts';
import type { WorkQueue } from './work-queue.ts';

/** What a worker or an integrator works with. */
export interface Fleet {
  /** The name under which it writes to item refs. */
  readonly id: string;
  readonly work: WorkContext;
  readonly queue: WorkQueue;
  /** The name of the queue in the database. */
  readonly queueName: string;
  /** The clone of this host, and its remote. */
  readonly remote: RemotePlace & { readonly workspace: WorkspaceContext };
  /** A keyring that an integrator uses instead of that of the home; it lands only results of workers in it. */
  readonly keysFolder?: string | undefined;
  /** What the runs of this process cost; workers have one. */
  readonly budget?: QueueBudget | undefined;
  /** Reports what happens. */
  readonly report: (message: string) => void;
}
