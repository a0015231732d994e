import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFileIfPresent, syncFolder } from '../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { bootId } from '../../system/process-identity.ts';
import { listIds, runFolder } from './run-folder.ts';

/**
 * Contains an empty file for each run that has not ended. A home keeps the folders of all runs, so scanning them would take longer every
 * year. After a boot all runs are scanned once, because an older version of the program may have used the home.
 */
const FOLDER = 'runs/open';
/** Contains the boot since which the folder is complete. */
const COMPLETE = 'complete-since';

/** Contract: called before the state of the run is written. */
export function markOpen(home: string, runId: string): void {
  const mark = openRunPath(home, runId);
  if (existsSync(mark)) return;
  ensurePrivateFolder(join(home, FOLDER));
  writeFileSync(mark, '', { mode: 0o600 });
  syncFolder(join(home, FOLDER));
}

/** Contract: called after the state of the run was deleted. */
export function unmarkOpen(home: string, runId: string): void {
  rmSync(openRunPath(home, runId), { force: true });
}

/** Lists the runs that may not have ended, newest first. */
export function listOpen(home: string): readonly string[] {
  if (readOpenIfKnown(home) === undefined && existsSync(join(home, 'runs'))) {
    ensurePrivateFolder(join(home, FOLDER));
    for (const id of listIds(home, 'run')) if (hasState(home, id)) markOpen(home, id);
    writeFileSync(join(home, FOLDER, COMPLETE), bootId(), { mode: 0o600 });
  }
  return listIds(home, 'run', FOLDER);
}

/** Like `listOpen`, but writes nothing. Undefined if the runs were not scanned since the boot, so that the list may be incomplete. */
export function readOpenIfKnown(home: string): readonly string[] | undefined {
  const boot = bootId();
  const isComplete = boot !== '' && readFileIfPresent(join(home, FOLDER, COMPLETE)) === boot;
  return isComplete ? listIds(home, 'run', FOLDER) : undefined;
}

/** Whether a run has written anything that an ended one no longer has. */
export function hasState(home: string, runId: string): boolean {
  return ['draft.json', 'state.json'].some((name) => existsSync(join(runFolder(home, runId), name)));
}

export function openRunPath(home: string, runId: string): string {
  return join(home, FOLDER, runId);
}
