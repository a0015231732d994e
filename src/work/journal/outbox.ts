import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { errorMessage } from '../../base/error-message.ts';
import { int } from '../../base/schema.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readStored, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import { isId } from '../run/run-folder.ts';
import type { WorkContext } from '../work-context.ts';
import type { RunOutcome } from './run-journal.ts';

const OUTCOME: DocumentShape<RunOutcome> = {
  hint: (path) =>
    `The run and its receipt are not affected. Remove ${path}; then the journal does not mention the run.`,
  schema: v.object({
    runId: v.string(),
    jobId: v.string(),
    itemId: v.string(),
    agentId: v.string(),
    description: v.string(),
    root: v.string(),
    timeoutMs: int(),
    phase: v.picklist(['tranche', 'reconcile', 'rollback']),
    status: v.picklist(['success', 'failure', 'denied', 'timeout', 'rolled_back']),
    receiptId: v.string(),
    receiptHash: v.string(),
    files: v.array(v.object({ path: v.string() })),
    writes: v.array(v.object({ command: v.string() })),
    counts: v.object({ created: int(), modified: int(), deleted: int() }),
  }),
};

/**
 * Queues the outcome of a run until it is recorded in the journal. It is written while the run is still open: if the process exits,
 * either the run is finished again or this file is found.
 */
export function queueOutcome(context: WorkContext, outcome: RunOutcome): void {
  if (context.journal === undefined) return;
  ensurePrivateFolder(folderOf(context));
  writeStored(pathOf(context, outcome.runId), outcome);
}

/** Lists runs whose outcome is not in the journal yet, oldest first. */
export function listQueued(home: string): readonly string[] {
  const folder = join(home, 'outbox');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => /^(run_\w+)\.json$/u.exec(name)?.[1] ?? [])
    .filter((name) => isId('run', name))
    .sort();
}

/** Records all queued outcomes in the journal; returns the runs that were recorded. The others stay queued. */
export async function deliverOutcomes(context: WorkContext): Promise<readonly string[]> {
  const delivered: string[] = [];
  for (const runId of listQueued(context.home))
    if (await deliverOutcome(context, runId)) delivered.push(runId);
  return delivered;
}

/** Records one outcome. The run has already ended, so a failing journal only causes a warning. */
export async function deliverOutcome(context: WorkContext, runId: string): Promise<boolean> {
  if (context.journal === undefined) return false;
  try {
    const outcome = readStored(pathOf(context, runId), OUTCOME);
    if (outcome === undefined) return false;
    await context.journal.ended(outcome);
    rmSync(pathOf(context, runId), { force: true });
    return true;
  } catch (error) {
    warnJournal(context, runId, error);
    return false;
  }
}

export function warnJournal(context: WorkContext, runId: string, error: unknown): void {
  const why = errorMessage(error);
  context.warn?.(
    `Cannot record ${runId} in the journal: ${why} The run itself is complete; "deed work recover" records it later.`,
  );
}

function folderOf({ home }: WorkContext): string {
  return join(home, 'outbox');
}

function pathOf(context: WorkContext, runId: string): string {
  return join(folderOf(context), `${runId}.json`);
}
