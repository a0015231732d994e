import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import { checkAdmission, type Admission, type DenialReason } from '../admission/check-admission.ts';
import { classifyChanges } from '../admission/classify-changes.ts';
import type { WorkItem } from '../item/work-item.ts';
import { treePath } from '../item/work-item.ts';
import { stagedDeltas } from '../journal/use-staged-journal.ts';
import type { TestReport } from '../tests/run-tests.ts';
import type { WorkContext } from '../work-context.ts';
import { describeGitPaths, isGitPath } from '../workspace/git-name.ts';
import { committableChanges } from '../workspace/landing/committable-changes.ts';
import { describeUnsupported } from '../workspace/unsupported-name.ts';
import type { TreeChange, Workspace } from '../workspace/workspace.ts';
import { admitItem } from './admit-item.ts';
import { artifactsOf, deltasOf } from './capsule-of.ts';
import { endLeftovers } from './end-leftovers.ts';
import type { Executed } from './execute-agent.ts';
import { missingOutputs } from './required-files.ts';
import { withIsolation, type RunDraft } from './run-draft.ts';
import { runItemTests } from './run-item-tests.ts';
import { emitEvent } from './emit-event.ts';

interface EvaluationInput extends Executed {
  readonly item: WorkItem;
  readonly workspace: Workspace;
  readonly context: WorkContext;
}

type Verdict = Pick<RunDraft, 'status' | 'code' | 'error' | 'denial'>;

/** Evaluates a run in the order of the contract: limits, the agent's own result, admission rules, output files, tests. */
export async function evaluateRun(draft: RunDraft, input: EvaluationInput): Promise<RunDraft> {
  const { item, workspace, context, stop, result } = input;
  if (stop?.kind === 'interrupted' || stop?.kind === 'disk')
    return { ...withIsolation(draft, workspace), ...stopped(stop) };
  const declared = (item.output_files ?? []).map(treePath);
  const { changes: found, skipped, unsupported, ignored } = await workspace.diff({ declared });
  const changes = draft.landing === undefined ? found : committableChanges(found);
  const sorted = classifyChanges(deltasOf(changes), item.output_files ?? [], context.patterns);
  const deltas = { ...sorted, deltaO: [...sorted.deltaO, ...stagedDeltas(draft.staged)] };
  const isolated = withIsolation(draft, workspace);
  const judged: RunDraft = {
    ...isolated,
    workspace: { ...isolated.workspace, skipped, ignored },
    changes,
    deltas,
  };
  // What the agent did until then can be reviewed, and sent back.
  if (stop !== undefined) return { ...judged, ...stopped(stop) };
  if (result.error !== undefined)
    return {
      ...judged,
      status: 'failure',
      code: 'E_AGENT_FAILED',
      error: `The agent failed: ${result.error}`,
    };
  const problem = describeForbidden(changes, unsupported);
  if (problem !== undefined)
    return { ...judged, ...deny('invariant_violated', `The changes cannot be promoted: ${problem}`) };
  const admission = checkAdmission(
    { ...deltas, artifacts: artifactsOf(changes), toolTrace: draft.toolTrace },
    {
      maxFiles: item.constraints.max_files,
      maxToolOps: item.constraints.max_tool_ops,
      maxDeltaSize: item.constraints.max_delta_size,
    },
  );
  if (!admission.ok) return { ...judged, ...denyAdmission(admission) };
  const own = await admitItem(item, changes, workspace);
  if (!own.ok) return { ...judged, ...denyAdmission(own) };
  const missing = missingOutputs(item, workspace.base.root, changes);
  if (missing.length > 0)
    return {
      ...judged,
      status: 'failure',
      code: 'E_AGENT_FAILED',
      error: `Output files are missing: ${missing.join(', ')}`,
    };
  const ready: RunDraft = {
    ...judged,
    afterHash: await workspace.hashAfter(changes),
  };
  return testRun(ready, input);
}

function deny(reason: DenialReason, message: string): Verdict {
  return { status: 'denied', code: 'E_DENIED', denial: { reason, message } };
}

/** In the admission rules of the contract, `reason` is the text and `denial` the code. */
function denyAdmission({ reason = 'Denied', denial = 'budget_exceeded' }: Admission): Verdict {
  return deny(denial, reason);
}

/** Describes the names that cannot be promoted, if there are any. */
function describeForbidden(
  changes: readonly TreeChange[],
  unsupported: readonly string[],
): string | undefined {
  if (unsupported.length > 0) return describeUnsupported(unsupported);
  const paths = changes.flatMap(({ path }) => (isGitPath(path) ? [path] : []));
  return paths.length === 0 ? undefined : describeGitPaths(paths);
}

/** Runs an item's tests on the result of its run and updates the verdict. */
export async function testRun(
  draft: RunDraft,
  { item, workspace, context }: Omit<EvaluationInput, 'stop' | 'result' | 'seen'>,
): Promise<RunDraft> {
  if (item.test_command === undefined) return { ...draft, status: 'success' };
  const tests = await testIn(workspace, item.test_command, draft, context);
  const tested = { ...(await endLeftovers(context, draft)), tests };
  if (tests.passed && !context.signal.aborted) return { ...tested, status: 'success' };
  return { ...tested, ...testFailure(tests, item, context) };
}

/** The verdict for tests that did not pass: interrupted, out of time, or failed. */
export function testFailure(
  tests: Pick<TestReport, 'timedOut'>,
  item: Pick<WorkItem, 'constraints'>,
  { signal }: Pick<WorkContext, 'signal'>,
): Verdict {
  if (signal.aborted) return stopped({ kind: 'interrupted', reason: 'Interrupted' });
  if (!tests.timedOut) return { status: 'failure', code: 'E_TESTS_FAILED', error: 'Tests failed' };
  const limit = item.constraints.timeout_ms;
  return stopped({ kind: 'time', reason: `The tests did not finish within ${limit} ms` });
}

async function testIn(
  workspace: Workspace,
  command: string,
  draft: RunDraft,
  context: WorkContext,
): Promise<TestReport> {
  emitEvent(context, draft, 'tests.started');
  const tests = await runItemTests(context, draft, workspace, draft.item, command);
  emitEvent(context, draft, 'tests.ended', tests.passed ? 'passed' : 'failed');
  return tests;
}

function stopped({ kind, reason }: NonNullable<Executed['stop']>): Verdict {
  switch (kind) {
    case 'time':
      return { status: 'timeout', code: 'E_TIMEOUT', error: reason };
    case 'interrupted':
      return { status: 'failure', code: 'E_INTERRUPTED', error: reason };
    case 'tools':
      return deny('tools_exceeded', reason);
    case 'disk':
      return deny('budget_exceeded', reason);
  }
}

/** The verdict for an error that prevented the evaluation. An error that is not a Fault is a bug; its message is recorded too. */
export function failureOf(error: unknown): Verdict {
  const code = error instanceof Fault ? error.code : 'E_UNKNOWN';
  if (code === 'E_DENIED') return deny('invariant_violated', errorMessage(error));
  return { status: 'failure', code, error: errorMessage(error) };
}
