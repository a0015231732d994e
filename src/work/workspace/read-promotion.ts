import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { findJournalFile } from './journal-folder.ts';
import { createDiskTreeIo } from './promotion/disk-tree-io.ts';
import { doneName, journalName, readJournal, type Journal } from './promotion/journal.ts';
import type { WorkspaceContext } from './workspace.ts';

/** Tells whether a run's changes are in the tree: `open` when its process died before that was decided or tidied up. */
export function promotionState(context: WorkspaceContext, runId: string): 'committed' | 'open' | 'none' {
  if (findJournalFile(context, journalName(runId)) !== undefined) return 'open';
  return findJournalFile(context, doneName(runId)) === undefined ? 'none' : 'committed';
}

/** Reads what a promotion did. */
export function readPromotion(context: WorkspaceContext, runId: string): Journal {
  const path = findJournalFile(context, doneName(runId));
  if (path === undefined)
    throw new Fault('E_NOT_FOUND', `The run ${runId} has promoted nothing.`, { details: { run: runId } });
  const io = createDiskTreeIo(undefined);
  const folder = io.openRoot(dirname(path));
  try {
    const found = readJournal(io, folder, doneName(runId));
    if (found !== undefined) return found.journal;
    throw new Fault('E_INTEGRITY', `The record of promotion ${runId} is damaged.`, {
      details: { run: runId },
    });
  } finally {
    io.close(folder);
  }
}
