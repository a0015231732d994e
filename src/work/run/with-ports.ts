import { join } from 'node:path';
import { claimPorts } from '../../system/claim-ports.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { WorkContext } from '../work-context.ts';
import type { RunDraft } from './run-draft.ts';

/** Runs an action with a range of free ports for the commands of a run; without one if none is free. */
export async function withPorts<T>(
  { workspace, warn }: WorkContext,
  draft: RunDraft,
  action: (draft: RunDraft) => Promise<T>,
): Promise<T> {
  const ports = await claimPorts(join(workspace.folder, 'ports'), WORK_LIMITS.ports);
  if (ports === undefined) warn?.(`No ports are free for ${draft.runId}; DEED_PORT is not set.`);
  try {
    return await action({ ...draft, port: ports?.first });
  } finally {
    ports?.release();
  }
}
