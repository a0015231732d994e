import type { WorkItem } from '../item/work-item.ts';
import type { WorkContext } from '../work-context.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { emitEvent } from './emit-event.ts';
import { testFailure } from './evaluate-run.ts';
import type { RunDraft } from './run-draft.ts';
import { runItemTests } from './run-item-tests.ts';

/**
 * Runs the tests of the items that were promoted before on the result of this run, each distinct command once: two items may merge as
 * text and still break each other. The run's own tests have passed on the same state.
 */
export async function testEarlier(
  draft: RunDraft,
  workspace: Workspace,
  context: WorkContext,
  earlier: readonly WorkItem[],
): Promise<RunDraft> {
  const commands = new Map(
    earlier.flatMap((item) => (item.test_command === undefined ? [] : [[item.test_command, item] as const])),
  );
  if (draft.item.test_command !== undefined) commands.delete(draft.item.test_command);
  for (const [command, item] of commands) {
    emitEvent(context, draft, 'tests.started', `of ${item.id}`);
    const tests = await runItemTests(context, draft, workspace, item, command);
    emitEvent(context, draft, 'tests.ended', `of ${item.id}: ${tests.passed ? 'passed' : 'failed'}`);
    if (tests.passed) continue;
    const output = `The tests of ${item.id} fail with the changes of ${draft.item.id}: ${command}\n${tests.output}`;
    return { ...draft, tests: { ...tests, output }, ...testFailure(tests, item, context) };
  }
  return draft;
}
