import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFileIfPresent, syncFolder } from '../../system/durable-file.ts';
import { listNames } from '../../system/list-names.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { bootId } from '../../system/process-identity.ts';
import { isId, listIds, runFolder } from './run-folder.ts';

/**
 * The runs that have not ended, an empty file for each: a home keeps the folders of all runs, and to look into each of them would take
 * longer every year. After a start of the machine all runs are looked at once, because an older version may have used the home.
 */
const FOLDER = 'runs/open';
/** Contains the boot since which the folder is complete. */
const COMPLETE = 'complete-since';
/** A process that is about to start a run takes less. */
const STARTING_MS = 86_400_000;

/** Contract: called before the state of the run is written. */
export function markOpen(home: string, runId: string): void {
  const mark = markOf(home, runId);
  if (existsSync(mark)) return;
  ensurePrivateFolder(join(home, FOLDER));
  writeFileSync(mark, '', { mode: 0o600 });
  syncFolder(join(home, FOLDER));
}

/** Contract: called after the state of the run was deleted. */
export function unmarkOpen(home: string, runId: string): void {
  rmSync(markOf(home, runId), { force: true });
}

/** Removes the mark of a run whose process was killed before it wrote anything else. */
export function unmarkUnstarted(home: string, runId: string, nowMs: number): void {
  const stats = statSync(markOf(home, runId), { throwIfNoEntry: false });
  if (stats !== undefined && nowMs - stats.mtimeMs > STARTING_MS) unmarkOpen(home, runId);
}

/** Lists the runs that may not have ended, newest first. */
export function listOpen(home: string): readonly string[] {
  const boot = bootId();
  if (boot === '') return listIds(home, 'run').filter((id) => hasState(home, id));
  const path = join(home, FOLDER, COMPLETE);
  if (readFileIfPresent(path) !== boot && existsSync(join(home, 'runs'))) {
    ensurePrivateFolder(join(home, FOLDER));
    for (const id of listIds(home, 'run')) if (hasState(home, id)) markOpen(home, id);
    writeFileSync(path, boot, { mode: 0o600 });
  }
  return listNames(join(home, FOLDER))
    .filter((name) => isId('run', name))
    .toSorted()
    .toReversed();
}

function hasState(home: string, runId: string): boolean {
  return ['draft.json', 'state.json'].some((name) => existsSync(join(runFolder(home, runId), name)));
}

function markOf(home: string, runId: string): string {
  return join(home, FOLDER, runId);
}
