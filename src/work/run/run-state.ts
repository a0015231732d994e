import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readDocument, writeDocument } from './json-document.ts';
import { currentOwner, type Owner } from './owner.ts';
import { runFolder } from './run-folder.ts';

/** What a run is doing; there is no such file once it has ended. */
export interface RunState {
  readonly status: 'running' | 'waiting' | 'promoting';
  readonly owner: Owner;
}

export function writeRunState(home: string, runId: string, status: RunState['status']): void {
  const folder = runFolder(home, runId);
  ensurePrivateFolder(folder);
  writeDocument(join(folder, 'state.json'), { status, owner: currentOwner() } satisfies RunState);
}

/** Reads what a run is doing; nothing when it has ended, which it has once its draft is gone. */
export function readRunState(home: string, runId: string): RunState | undefined {
  const folder = runFolder(home, runId);
  return existsSync(join(folder, 'draft.json'))
    ? readDocument<RunState>(join(folder, 'state.json'))
    : undefined;
}

/** Ends a run. The draft goes first: were it the last, a process that dies in between would leave it beside a receipt for good. */
export function clearRunState(home: string, runId: string): void {
  for (const name of ['draft.json', 'state.json'])
    rmSync(join(runFolder(home, runId), name), { force: true });
}
