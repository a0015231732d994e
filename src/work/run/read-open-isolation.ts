import { join } from 'node:path';
import { unlessDamaged } from '../../base/damaged.ts';
import { hasWorkspace, readWorkspaceRecord, type WorkspaceRecord } from '../workspace/workspace-record.ts';

/** How an active run is isolated, by the record of its workspace: the draft of the run has it only after the agent has exited. */
export function readOpenIsolation(
  home: string,
  runId: string,
): Pick<WorkspaceRecord, 'mode' | 'isolation' | 'fallbacks'> | undefined {
  const place = { folder: join(home, 'work') };
  if (!hasWorkspace(place, runId)) return undefined;
  const record = unlessDamaged(() => readWorkspaceRecord(place, runId));
  return record && { mode: record.mode, isolation: record.isolation, fallbacks: record.fallbacks };
}
