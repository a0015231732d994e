import type { WorkItem } from '../item/work-item.ts';
import { runTests, type TestReport } from '../tests/run-tests.ts';
import type { WorkContext } from '../work-context.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { itemWorkspace } from './item-workspace.ts';
import type { RunDraft } from './run-draft.ts';
import { epochOf, runEnvironment } from './run-environment.ts';

/** Runs the tests of an item on the result of a run. The run may belong to another item. */
export function runItemTests(
  context: WorkContext,
  draft: RunDraft,
  workspace: Workspace,
  item: WorkItem,
  command: string,
): Promise<TestReport> {
  return runTests(itemWorkspace(workspace, item), command, {
    env: runEnvironment(context, draft.agent, { ...draft, item, sourceDateEpoch: epochOf(draft) }),
    timeoutMs: item.constraints.timeout_ms,
    signal: context.signal,
    network: item.network ?? true,
    now: context.clock.now,
  });
}
