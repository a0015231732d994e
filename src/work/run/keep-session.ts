import { errorMessage } from '../../base/error-message.ts';
import type { JsonObject } from '../../base/json.ts';
import { saveSession } from '../executors/agent-state.ts';
import type { WorkContext } from '../work-context.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { RunDraft } from './run-draft.ts';

/** Stores the session of an agent, so that the agent can continue it if the run is sent back. A failure does not affect the run. */
export function keepSession(
  context: WorkContext,
  workspace: Workspace,
  { runId, agent }: Pick<RunDraft, 'runId' | 'agent'>,
  usage: JsonObject | undefined,
): void {
  const sessionId = usage?.session_id;
  if (agent === undefined || typeof sessionId !== 'string' || !/^[\w-]+$/u.test(sessionId)) return;
  try {
    saveSession(context, workspace, agent, { runId, sessionId });
  } catch (error) {
    const why = errorMessage(error);
    context.warn?.(`Cannot keep the session of ${runId}: ${why}`);
  }
}
