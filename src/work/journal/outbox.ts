import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readDocument, writeDocument } from '../run/run-folder.ts';
import type { WorkWorld } from '../work-world.ts';
import type { RunEnding } from './run-journal.ts';

/**
 * Keeps how a run ended until the journal has taken it. It is written while the run still counts as open, so whenever the process
 * dies either the run is ended once more or this is found.
 */
export function keepEnding(world: WorkWorld, ending: RunEnding): void {
  if (world.journal === undefined) return;
  ensurePrivateFolder(folderOf(world));
  writeDocument(pathOf(world, ending.runId), ending);
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
export async function deliverEndings(world: WorkWorld): Promise<readonly string[]> {
  const delivered: string[] = [];
  for (const runId of listKept(world.home)) if (await deliverEnding(world, runId)) delivered.push(runId);
  return delivered;
}

/** The run itself has ended and stands, whatever becomes of this: a journal in trouble is a warning. */
export async function deliverEnding(world: WorkWorld, runId: string): Promise<boolean> {
  if (world.journal === undefined) return false;
  try {
    const ending = readDocument<RunEnding>(pathOf(world, runId));
    if (ending === undefined) return false;
    await world.journal.ended(ending);
    rmSync(pathOf(world, runId), { force: true });
    return true;
  } catch (error) {
    warnOf(world, runId, error);
    return false;
  }
}

export function warnOf(world: WorkWorld, runId: string, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  world.warn?.(
    `The journal did not take what ${runId} did: ${why} The run stands; "deed work recover" writes it down later.`,
  );
}

function folderOf({ home }: WorkWorld): string {
  return join(home, 'outbox');
}

function pathOf(world: WorkWorld, runId: string): string {
  return join(folderOf(world), `${runId}.json`);
}
