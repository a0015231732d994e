import { Fault } from '../../base/fault.ts';
import { appendEvent } from '../../continuity/events/event.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { StagedRun } from '../../work/journal/run-stage.ts';
import { applyStaged, loadCommands } from './apply-staged.ts';
import { PATIENT_MS, projectOf, writeJournal, type StoreContext, type Writing } from './journal-store.ts';

type CommitContext = StoreContext & Pick<CommandContext, 'table'>;

/**
 * Brings staged writes into the store and lets the tree follow before they are committed. The store is held meanwhile: nobody can
 * write what would make them untrue. A process that dies in between leaves a promoted tree, and recovery calls this again.
 */
export async function commitStaged<T>(
  context: CommitContext,
  run: StagedRun,
  promote: () => Promise<T>,
): Promise<T> {
  const commands = await loadCommands(context.table, run.writes);
  const both = async ({ session, once }: Writing): Promise<T> => {
    await once(markOf(run), async () => {
      await applyStaged(session, run, commands);
      return { writes: run.writes.length };
    });
    return promote();
  };
  return writeJournal(context, run, both, PATIENT_MS);
}

/** The same for a run that stands already. What the store cannot take any more is told, since it can be lost only here. */
export async function catchUpStaged(context: CommitContext, run: StagedRun): Promise<void> {
  try {
    await commitStaged(context, run, async () => undefined);
  } catch (error) {
    if (!(error instanceof Fault) || error.details.reason !== 'stage') throw error;
    const message = `${run.itemId} (${run.runId}): the process died during the promotion, and its journal writes came too late: ${error.message}`;
    await writeJournal(context, run, ({ once }) =>
      once(markOf(run), async (scope) => ({
        writes: 0,
        event_id: await appendEvent(scope, {
          kind: 'run_writes_lost',
          message,
          projectId: projectOf(run),
          metadata: { run_id: run.runId, writes: run.writes.length },
        }),
      })),
    );
  }
}

function markOf({ runId }: StagedRun): string {
  return `${runId}:staged`;
}
