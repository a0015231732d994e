import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readDocument, writeDocument } from '../run/json-document.ts';
import type { WorkContext } from '../work-context.ts';
import type { RunEnding } from './run-journal.ts';

/**
 * Keeps how a run ended until the journal has taken it. It is written while the run still counts as open, so whenever the process
 * dies either the run is ended once more or this is found.
 */
export function keepEnding(context: WorkContext, ending: RunEnding): void {
  if (context.journal === undefined) return;
  ensurePrivateFolder(folderOf(context));
  writeDocument(pathOf(context, ending.runId), ending);
}

/** Runs whose end the journal does not know yet, oldest first. */
export function listKept(home: string): readonly string[] {
  const folder = join(home, 'outbox');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => /^(run_[0-9a-f]{24})\.json$/u.exec(name)?.[1] ?? [])
    .sort();
}

/** Gives everything that is kept to the journal; tells which runs it took. What it does not take stays for the next time. */
export async function deliverEndings(context: WorkContext): Promise<readonly string[]> {
  const delivered: string[] = [];
  for (const runId of listKept(context.home)) if (await deliverEnding(context, runId)) delivered.push(runId);
  return delivered;
}

/** The run itself has ended and stands, whatever becomes of this: a journal in trouble is a warning. */
export async function deliverEnding(context: WorkContext, runId: string): Promise<boolean> {
  if (context.journal === undefined) return false;
  try {
    const ending = readDocument<RunEnding>(pathOf(context, runId));
    if (ending === undefined) return false;
    await context.journal.ended(ending);
    rmSync(pathOf(context, runId), { force: true });
    return true;
  } catch (error) {
    warnOf(context, runId, error);
    return false;
  }
}

export function warnOf(context: WorkContext, runId: string, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  context.warn?.(
    `The journal did not take what ${runId} did: ${why} The run stands; "deed work recover" writes it down later.`,
  );
}

function folderOf({ home }: WorkContext): string {
  return join(home, 'outbox');
}

function pathOf(context: WorkContext, runId: string): string {
  return join(folderOf(context), `${runId}.json`);
}
