import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readDocument, writeDocument } from './json-document.ts';
import { currentOwner, type Owner } from './owner.ts';
import { runFolder } from './run-folder.ts';

/** The state of an active run; the file is deleted when the run ends. */
export interface RunState {
  readonly status: 'running' | 'waiting' | 'promoting';
  readonly owner: Owner;
}

export function writeRunState(home: string, runId: string, status: RunState['status']): void {
  const folder = runFolder(home, runId);
  ensurePrivateFolder(folder);
  writeDocument(join(folder, 'state.json'), { status, owner: currentOwner() } satisfies RunState);
}

/** Reads the state of a run; undefined if it has ended, which means that its draft was deleted. */
export function readRunState(home: string, runId: string): RunState | undefined {
  const folder = runFolder(home, runId);
  return existsSync(join(folder, 'draft.json'))
    ? readDocument<RunState>(join(folder, 'state.json'))
    : undefined;
}

/** Ends a run. The draft is deleted first: otherwise a process killed in between would leave the draft next to a receipt. */
export function clearRunState(home: string, runId: string): void {
  for (const name of ['draft.json', 'state.json'])
    rmSync(join(runFolder(home, runId), name), { force: true });
}
