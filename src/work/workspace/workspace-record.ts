import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import type { Isolation } from './isolation.ts';
import type { Tree } from './tree.ts';
import type { Entry, SandboxPolicy, WorkspaceMode, WorkspaceContext } from './workspace.ts';

/** The stored record of a workspace, from which another process can reopen it. */
export interface WorkspaceRecord {
  readonly runId: string;
  readonly tree: Tree;
  readonly snapshotId: string;
  readonly mode: WorkspaceMode;
  readonly isolation: Isolation;
  readonly fallbacks: readonly string[];
  readonly policy: SandboxPolicy;
  readonly mountAt: string;
  /** Declared paths that git does not list, as they were when the workspace was opened. */
  readonly declared?: Readonly<Record<string, Entry>> | undefined;
  /** The tree's epoch when this workspace was opened; if the tree has a newer one for the run, another process has reopened it. */
  readonly epoch: number;
}

export function workspaceFolder(context: WorkspaceContext, runId: string): string {
  if (!/^[\w][\w.-]{0,127}$/u.test(runId)) {
    throw new Fault('E_VALIDATION', `Invalid run id: ${runId}.`, {
      hint: 'Use letters, digits, dots, dashes and underscores.',
    });
  }
  return join(context.folder, 'workspaces', runId);
}

export function writeWorkspaceRecord(context: WorkspaceContext, record: WorkspaceRecord): void {
  const path = join(workspaceFolder(context, record.runId), 'workspace.json');
  writeFileDurably(path, JSON.stringify(record), { sync: false });
}

export function readWorkspaceRecord(context: WorkspaceContext, runId: string): WorkspaceRecord {
  const text = readFileIfPresent(join(workspaceFolder(context, runId), 'workspace.json'));
  if (text === undefined)
    throw new Fault('E_NOT_FOUND', `Run ${runId} has no workspace.`, { details: { run: runId } });
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value) || value.runId !== runId)
    throw new Fault('E_DAMAGED', `The record of workspace ${runId} is corrupt.`, {
      details: { run: runId },
    });
  // Records of 0.1.0 have no isolation; it had only one kind.
  const isolation: Isolation = value.sandboxed === true ? 'bubblewrap' : 'none';
  const record = value as unknown as WorkspaceRecord;
  return 'isolation' in value ? record : { ...record, isolation };
}
