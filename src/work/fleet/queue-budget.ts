import { errorMessage } from '../../base/error-message.ts';
import { isPlainObject } from '../../base/json.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import type { Lease, QueueLimits, WorkQueue } from './work-queue.ts';

/** Counts what the runs of this process cost, and takes no items while those of all hosts cost too much. */
export interface QueueBudget {
  /** Counts the cost that the agent of a run reported. Contract: does not throw; what cannot be recorded now is recorded later. */
  readonly addRun: (runId: string) => Promise<void>;
  /** Records what is not recorded yet. */
  readonly flush: () => Promise<void>;
  /** Takes an item if the limit allows one. */
  readonly takeWithin: (take: () => Promise<Lease | undefined>) => Promise<Lease | undefined>;
  /** Why no items are taken; undefined if they are. */
  readonly paused: () => string | undefined;
}

interface Spender {
  /** The name under which costs are recorded. */
  readonly id: string;
  readonly queue: WorkQueue;
  readonly queueName: string;
  readonly home: string;
  readonly report: (message: string) => void;
}

export function createBudget(
  { queue, queueName, id, home, report }: Spender,
  { costUsdPerDay: limit }: Pick<QueueLimits, 'costUsdPerDay'>,
): QueueBudget {
  let unrecorded = 0;
  let reason: string | undefined;
  const flush = async (): Promise<void> => {
    const usd = unrecorded;
    if (usd === 0) return;
    unrecorded = 0;
    try {
      await queue.addCost(queueName, id, usd);
    } catch (error) {
      unrecorded += usd;
      report(`cannot record a cost of $${usd.toFixed(2)} yet: ${errorMessage(error)}`);
    }
  };
  const check = async (limitUsd: number): Promise<string | undefined> => {
    const spent = (await queue.costToday(queueName)) + unrecorded;
    return spent < limitUsd ? undefined : describeLimit(spent, limitUsd);
  };
  return {
    addRun: async (runId) => {
      unrecorded += costOf(home, runId);
      await flush();
    },
    flush,
    takeWithin: async (take) => {
      if (limit === undefined) return take();
      const before = reason;
      reason = await check(limit);
      if (reason !== undefined && before === undefined) report(reason);
      return reason === undefined ? take() : undefined;
    },
    paused: () => reason,
  };
}

function costOf(home: string, runId: string): number {
  const agent = readReceipt(home, runId)?.budget.agent;
  const cost = isPlainObject(agent) ? agent.cost_usd : undefined;
  return typeof cost === 'number' && cost > 0 ? cost : 0;
}

function describeLimit(spentUsd: number, limitUsd: number): string {
  return (
    `The runs of this queue cost $${spentUsd.toFixed(2)} today, and the limit is $${limitUsd.toFixed(2)} a day. ` +
    'Items wait; workers take them again at 00:00 UTC, or when they are started with a higher --max-cost-usd.'
  );
}
