import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import type { Tree } from './resolve-tree.ts';
import type { SandboxPolicy, WorkspaceMode, WorkspaceWorld } from './workspace.ts';

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

export function workspaceFolder(world: WorkspaceWorld, runId: string): string {
  if (!/^[\w][\w.-]{0,127}$/u.test(runId)) {
    throw new Fault('E_VALIDATION', `${runId} cannot name a run.`, {
      hint: 'Use letters, digits, dots, dashes and underscores.',
    });
  }
  return join(world.folder, 'workspaces', runId);
}

export function writeWorkspaceRecord(world: WorkspaceWorld, record: WorkspaceRecord): void {
  const path = join(workspaceFolder(world, record.runId), 'workspace.json');
  writeFileDurably(path, JSON.stringify(record), { sync: false });
}

export function readWorkspaceRecord(world: WorkspaceWorld, runId: string): WorkspaceRecord {
  const text = readFileIfPresent(join(workspaceFolder(world, runId), 'workspace.json'));
  if (text === undefined)
    throw new Fault('E_NOT_FOUND', `There is no workspace of run ${runId}.`, { details: { run: runId } });
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value) || value.runId !== runId)
    throw new Fault('E_INTEGRITY', `The record of workspace ${runId} is damaged.`, {
      details: { run: runId },
    });
  return value as unknown as WorkspaceRecord;
}
