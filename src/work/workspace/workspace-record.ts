import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { damaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { int } from '../../base/schema.ts';
import { readStored, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import type { Isolation } from './isolation.ts';
import type { Tree } from './tree.ts';
import type { TreeEntry, SandboxPolicy, WorkspaceMode, WorkspaceContext } from './workspace.ts';

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
  readonly declared?: Readonly<Record<string, TreeEntry>> | undefined;
  /** The tree's epoch when this workspace was opened; if the tree has a newer one for the run, another process has reopened it. */
  readonly epoch: number;
}

/** The folder of a home that has the workspaces. */
type WorkspacesPlace = Pick<WorkspaceContext, 'folder'>;

export function workspaceFolder({ folder }: WorkspacesPlace, runId: string): string {
  if (!/^[\w][\w.-]{0,127}$/u.test(runId)) {
    throw new Fault('E_VALIDATION', `Invalid run id: ${runId}.`, {
      hint: 'Use letters, digits, dots, dashes and underscores.',
    });
  }
  return join(folder, 'workspaces', runId);
}

export function writeWorkspaceRecord(context: WorkspaceContext, record: WorkspaceRecord): void {
  writeStored(recordPath(context, record.runId), record, { sync: false });
}

const strings = v.array(v.string());

/** Records of 0.1.0 have `sandboxed` instead of the isolation. */
const RECORD: DocumentShape<WorkspaceRecord & { readonly sandboxed?: boolean }> = {
  hint: (path) =>
    `Restore it from a backup, or remove the folder of ${path}: the run is lost then, and its item can run again.`,
  schema: v.object({
    runId: v.string(),
    tree: v.object({ id: v.string(), root: v.string() }),
    snapshotId: v.string(),
    mode: v.picklist(['overlay', 'copy']),
    isolation: v.optional(v.picklist(['bubblewrap', 'namespace', 'landlock', 'none'])),
    fallbacks: strings,
    policy: v.object({
      network: v.boolean(),
      writePaths: v.optional(strings),
      readPaths: v.optional(strings),
    }),
    mountAt: v.string(),
    epoch: int(),
  }),
};

/** Whether a run has a workspace. */
export function hasWorkspace(context: WorkspacesPlace, runId: string): boolean {
  return existsSync(recordPath(context, runId));
}

export function readWorkspaceRecord(context: WorkspacesPlace, runId: string): WorkspaceRecord {
  const path = recordPath(context, runId);
  const stored = readStored(path, RECORD);
  if (stored === undefined)
    throw new Fault('E_NOT_FOUND', `Run ${runId} has no workspace.`, { details: { run: runId } });
  if (stored.runId !== runId) throw damaged(path, `it is the record of ${stored.runId}`, RECORD.hint(path));
  const { sandboxed, ...record } = stored;
  // 0.1.0 had only one kind of isolation.
  return 'isolation' in record
    ? record
    : { ...stored, isolation: sandboxed === true ? 'bubblewrap' : 'none' };
}

function recordPath(context: WorkspacesPlace, runId: string): string {
  return join(workspaceFolder(context, runId), 'workspace.json');
}
