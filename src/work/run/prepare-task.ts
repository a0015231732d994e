import { join } from 'node:path';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { prepareState } from '../executors/agent-state.ts';
import { signInEnvironment } from '../executors/sign-in-paths.ts';
import type { Assignment } from '../executors/executor.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import type { WorkContext } from '../work-context.ts';
import { placeFile } from '../workspace/place-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { prepareRevision } from './prepare-revision.ts';
import type { RunDraft } from './run-draft.ts';

/** What an agent is given: the item, with the review of an earlier run in its description, and variables that name files. */
interface Task extends Pick<Assignment, 'item' | 'session'> {
  readonly env: Readonly<Record<string, string>>;
}

/** Prepares the workspace for the agent of a run. */
export async function prepareTask(
  context: WorkContext,
  workspace: Workspace,
  { item, agent, revision }: RunDraft,
  env: Readonly<Record<string, string>>,
): Promise<Task> {
  const isResumable = agent !== undefined && prepareState(context, workspace, agent, revision?.of);
  const review = revision && (await revise(context, workspace, revision, env));
  const id = revision && earlierUsage(context.home, { revision })?.session_id;
  const task = review ? { ...item, description: `${item.description}\n\n${review.message}` } : item;
  placeFile(join(workspace.scratch.host, 'item.json'), JSON.stringify(task), 0o644);
  return {
    item: task,
    env: {
      ...(agent && signInEnvironment(agent, context.env)),
      ...review?.env,
      DEED_ITEM: join(workspace.scratch.inside, 'item.json'),
    },
    ...(review && isResumable && typeof id === 'string' && { session: { id, message: review.message } }),
  };
}

/** Most items are not revised, so the code for it is loaded here. */
const revise: typeof prepareRevision = async (...given) =>
  (await import('./prepare-revision.ts')).prepareRevision(...given);

/** What the agent reported about the run that was sent back: its session, tokens and cost. */
export function earlierUsage(home: string, { revision }: Pick<RunDraft, 'revision'>): JsonObject | undefined {
  const usage = revision && readReceipt(home, revision.of)?.budget.agent;
  return isPlainObject(usage) ? usage : undefined;
}
