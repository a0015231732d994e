import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import type { Tree } from './tree.ts';
import type { SandboxPolicy, WorkspaceMode, WorkspaceContext } from './workspace.ts';

/** What is written down of a workspace, so that another process can take it up. */
export interface WorkspaceRecord {
  readonly runId: string;
  readonly tree: Tree;
  readonly snapshotId: string;
  readonly mode: WorkspaceMode;
  readonly sandboxed: boolean;
  readonly fallbacks: readonly string[];
  readonly policy: SandboxPolicy;
  readonly mountAt: string;
  /** The tree's count of openings when this one was made; an older one than the tree knows for this run has been taken over. */
  readonly epoch: number;
}

export function workspaceFolder(context: WorkspaceContext, runId: string): string {
  if (!/^[\w][\w.-]{0,127}$/u.test(runId)) {
    throw new Fault('E_VALIDATION', `${runId} cannot name a run.`, {
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
    throw new Fault('E_NOT_FOUND', `There is no workspace of run ${runId}.`, { details: { run: runId } });
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value) || value.runId !== runId)
    throw new Fault('E_INTEGRITY', `The record of workspace ${runId} is damaged.`, {
      details: { run: runId },
    });
  return value as unknown as WorkspaceRecord;
}
