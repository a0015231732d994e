import { Fault } from '../../base/fault.ts';
import { appendEvent } from '../../continuity/events/event.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { StagedRun } from '../../work/journal/staged-journal.ts';
import { applyStaged, loadCommands } from './apply-staged.ts';
import {
  COMMIT_BUSY_MS,
  withProject,
  writeJournal,
  type StoreContext,
  type JournalTransaction,
} from './journal-store.ts';

type CommitContext = StoreContext & Pick<CommandContext, 'table'>;

/**
 * Applies staged writes and promotes the tree before they are committed. The transaction blocks other writers, so no conflicting
 * write can happen in between. If the process exits in between, the tree is promoted and recovery calls this again.
 */
export async function commitStaged<T>(
  context: CommitContext,
  run: StagedRun,
  promote: () => Promise<T>,
): Promise<T> {
  const commands = await loadCommands(context.table, run.writes);
  const projectRun = await withProject(context, run);
  const applyAndPromote = async ({ db, once }: JournalTransaction): Promise<T> => {
    await once(requestIdOf(run), async () => {
      await applyStaged(db, projectRun, commands);
      return { writes: run.writes.length };
    });
    return promote();
  };
  return writeJournal(context, run, applyAndPromote, COMMIT_BUSY_MS);
}

/** Commits the staged writes of a run that is already promoted. Writes that the store rejects are recorded as lost. */
export async function commitPromoted(context: CommitContext, run: StagedRun): Promise<void> {
  try {
    await commitStaged(context, run, async () => undefined);
  } catch (error) {
    if (!(error instanceof Fault) || error.details.reason !== 'stage') throw error;
    const message = `${run.itemId} (${run.runId}): the process exited during the promotion, and its journal writes were rejected: ${error.message}`;
    const { project } = await withProject(context, run);
    await writeJournal(context, run, ({ once }) =>
      once(requestIdOf(run), async (scope) => ({
        writes: 0,
        event_id: await appendEvent(scope, {
          kind: 'run_writes_lost',
          message,
          projectId: project,
          metadata: { run_id: run.runId, writes: run.writes.length },
        }),
      })),
    );
  }
}

function requestIdOf({ runId }: StagedRun): string {
  return `${runId}:staged`;
}
