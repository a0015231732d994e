import type { WorkItem } from '../item/work-item.ts';
import type { RunningItem } from './item-activity.ts';
import type { SharedDocuments } from './shared-documents.ts';

/** An item in a queue, with everything that a worker or an integrator on another host needs. */
export interface QueuedItem {
  readonly jobId: string;
  readonly item: WorkItem;
  /** The branch of the remote that the item lands on. */
  readonly branch: string;
  /** The test commands of the other items of the job, by item. */
  readonly tests?: Readonly<Record<string, string>> | undefined;
  /** Raised each time the item is queued again. */
  readonly round: number;
  /** When the item was first queued, as a number that orders items: earlier ones, and their later rounds, come first. */
  readonly order: number;
}

/** An entry of a queue that this process holds while it calls `beat`. */
export interface Lease {
  readonly queued: QueuedItem;
  /** How often another process held the entry before. */
  readonly retry: number;
  /** Keeps the entry. Contract: false if another process has it meanwhile, or if it was cancelled. */
  readonly beat: () => Promise<boolean>;
  /** Removes the entry, and releases the entries that depend on it. */
  readonly done: () => Promise<void>;
  /** Returns the entry to the queue. */
  readonly returnToQueue: () => Promise<void>;
}

/** A process that takes entries of a queue. */
export interface WorkerInfo {
  readonly id: string;
  readonly role: 'worker' | 'integrator';
  readonly queue: string;
  /** The name of the queue in the database, which belongs to one repository. */
  readonly queueName: string;
  readonly host: string;
  readonly pid: number;
  readonly labels: readonly string[];
  readonly jobs: number;
  /** The items that it runs, as `job/item`. */
  readonly running: readonly string[];
  /** More about these items; workers of earlier versions have none. */
  readonly items?: readonly RunningItem[] | undefined;
  readonly draining: boolean;
  /** Why it takes no items at present. */
  readonly paused?: string | undefined;
  readonly startedAt: string;
}

/** A process that has announced itself, and when it last did: by the clock of the queue, not by that of its host or of the reader. */
export interface SeenWorker extends WorkerInfo {
  readonly seenAt: string;
  readonly ageMs: number;
}

/** Limits of a queue, for all hosts together. */
export interface QueueLimits {
  /** The maximum number of items that run at the same time. */
  readonly concurrency?: number | undefined;
  /** Items are taken only while the runs of a day (UTC) cost less than this. */
  readonly costUsdPerDay?: number | undefined;
}

/**
 * Port: a queue that many hosts share. Contract: an entry has one holder; one that does not call `beat` for ten seconds loses it, and the
 * entry goes to another process. Its order, its holders and its times are only hints: what happened to an item is in the item's ref.
 * An unreachable queue is E_NETWORK.
 */
export interface WorkQueue {
  /** Adds the items of a job, all or none; an item can be taken when those it depends on have landed. Idempotent by job, item and round. */
  readonly add: (queue: string, items: readonly QueuedItem[]) => Promise<void>;
  /** Adds an item for another round of work; its landing is still in the queue. Idempotent. */
  readonly addAgain: (queue: string, item: QueuedItem) => Promise<void>;
  /** Takes the next item whose required labels are among these. */
  readonly takeItem: (
    queue: string,
    labels: readonly string[],
    limits: QueueLimits,
  ) => Promise<Lease | undefined>;
  /**
   * Calls back when an entry may have become ready for a worker or an integrator of a queue. Only a hint: some are never announced. Returns a
   * function that ends this.
   */
  readonly onReady: (queue: string, role: WorkerInfo['role'], listener: () => void) => () => void;
  /** Adds to what the runs of a queue cost on this day, by the clock of the database. */
  readonly addCost: (queue: string, workerId: string, usd: number) => Promise<void>;
  /** What the runs of a queue cost on this day, on all hosts. */
  readonly costToday: (queue: string) => Promise<number>;
  /** Takes the next items that are ready to land, at most so many, in their order. */
  readonly takeLandings: (queue: string, most: number) => Promise<readonly Lease[]>;
  /** Returns entries of dead processes to the queue, and releases those whose dependencies have landed. Any process can, at any time. */
  readonly supervise: () => Promise<void>;
  /** The jobs that have entries which are not done, and the time by the clock of the queue. */
  readonly openJobs: () => Promise<{ readonly nowMs: number; readonly jobIds: ReadonlySet<string> }>;
  /** Removes the entries of a job. Returns the items that a worker has taken and not completed, even if the entries were removed before. */
  readonly cancel: (queue: string, jobId: string) => Promise<readonly string[]>;
  /** Makes this worker visible to `workers` for a minute. */
  readonly announce: (worker: WorkerInfo) => Promise<void>;
  readonly withdraw: (workerId: string) => Promise<void>;
  readonly workers: () => Promise<readonly SeenWorker[]>;
  /** About how many there are; cheap. */
  readonly countWorkers: () => Promise<number>;
  /** Asks a worker to finish what it runs and exit. */
  readonly askToDrain: (workerId: string) => Promise<void>;
  readonly isAskedToDrain: (workerId: string) => Promise<boolean>;
  readonly documents: SharedDocuments;
  readonly close: () => Promise<void>;
}
