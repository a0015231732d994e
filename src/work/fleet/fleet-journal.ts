import { findJob } from '../plan/job.ts';
import { FLEET_BRANCH } from './item-branch.ts';
import { isId } from '../run/run-folder.ts';
import type { RecordedRun, RunJournal, RunOutcome } from '../journal/run-journal.ts';
import type { WorkContext } from '../work-context.ts';

/** Names the local job of an item, and the job that it belongs to. */
interface JobNames {
  readonly local: string;
  readonly fleet: string;
}

/**
 * The context of a process that serves a queue. The outbox of its home may have outcomes of items whose process was killed: another
 * worker has such an item, so they are not recorded.
 */
export function withoutLostOutcomes(context: WorkContext): WorkContext {
  const { journal, home } = context;
  const isLost = ({ jobId }: RecordedRun): boolean =>
    isId('run', jobId) ||
    (isId('job', jobId) && findJob(home, jobId)?.branch?.startsWith(FLEET_BRANCH) === true);
  return {
    ...context,
    journal: journal && {
      ...journal,
      ended: async (outcome) => {
        if (!isLost(outcome)) await journal.ended(outcome);
      },
    },
  };
}

/**
 * The journal of a run on a worker. It acts for the job of the caller, so that the next worker can take over the task of a dead one. A
 * success is not recorded here, and the writes of the agent are not committed: both happen when the item is promoted.
 */
export function withFleetJournal(
  context: WorkContext,
  names: JobNames,
  onEnded: (outcome: RunOutcome) => void,
): WorkContext {
  const { journal, stagedJournal } = context;
  // The outbox of this home may also have runs of other jobs.
  const isOwn = ({ jobId }: RecordedRun): boolean => jobId === names.local;
  const renamed = <R extends RecordedRun>(run: R): R => (isOwn(run) ? { ...run, jobId: names.fleet } : run);
  const renaming: RunJournal | undefined = journal && {
    started: (run) => journal.started(renamed(run)),
    waiting: (run) => journal.waiting(renamed(run)),
    ended: async (outcome) => {
      if (isOwn(outcome)) onEnded(renamed(outcome));
      if (!isOwn(outcome) || outcome.status !== 'success') await journal.ended(renamed(outcome));
    },
    // The tasks of a job with one item are claimed by its run.
    claim: async () => undefined,
    release: async () => undefined,
  };
  return {
    ...context,
    journal: renaming,
    stagedJournal: stagedJournal && {
      open: (run, location) => stagedJournal.open(renamed(run), location),
      read: (run, location, startedAtMs) => stagedJournal.read(renamed(run), location, startedAtMs),
      commit: (_run, promote) => promote(),
    },
  };
}
