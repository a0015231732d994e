import type { System } from '../../contract/system.ts';
import { chooseModel, type LiveModel } from './choose-model.ts';
import { verifyRun, replayFirstRun } from './verify-and-replay.ts';
import { createDemoCaller, type DemoCaller } from './demo-caller.ts';
import { TOOL_PROGRAMS } from './demo-project.ts';
import { describeMissing, type DemoStep, type StepReport } from './demo-step.ts';
import { denyItem } from './deny-item.ts';
import { triageLeftover } from './triage-leftover.ts';
import { createEnvironment, type DemoEnvironment } from './create-environment.ts';
import { runPlan, type DemoRun } from './run-plan.ts';
import { prepareDemo } from './prepare-demo.ts';
import { resumeAndAudit } from './resume-and-audit.ts';

export interface DemoRequest {
  readonly folder?: string | undefined;
  readonly live: boolean;
  readonly model?: string | undefined;
}

const STEPS = 7;

/**
 * Shows on a separate repository what deed does, step by step, with commands that a user could type. It terminates everything it
 * started, even if it fails; the files stay for inspection.
 */
export async function* runDemo(
  request: DemoRequest,
  system: System,
  signal: AbortSignal,
): AsyncGenerator<DemoStep> {
  const live = chooseModel(request.live, request.model, system.env);
  const demo = await createEnvironment(system, request.folder, live?.env);
  const steps: DemoStep[] = [];
  const runStep: RunStep = async (report) => {
    signal.throwIfAborted();
    const caller = createDemoCaller(demo, signal);
    const result = await report(caller);
    const step = { step: steps.length + 1, steps: STEPS, calls: caller.calls, ...result };
    steps.push(step);
    return step;
  };
  try {
    yield* runSteps(demo, live, signal, runStep, steps);
  } finally {
    demo.terminateAll();
  }
}

type RunStep = (report: (caller: DemoCaller) => Promise<StepReport>) => Promise<DemoStep>;

async function* runSteps(
  demo: DemoEnvironment,
  live: LiveModel | undefined,
  signal: AbortSignal,
  runStep: RunStep,
  finished: readonly DemoStep[],
): AsyncGenerator<DemoStep> {
  yield await runStep((caller) => prepareDemo(demo, live, caller));
  const missing = demo.missing(['git', ...TOOL_PROGRAMS]);
  const runIds =
    missing.length === 0 ? yield* runWorkSteps(demo, runStep) : yield* skipWorkSteps(missing, runStep);
  yield await runStep((caller) => triageLeftover(demo, caller, signal));
  yield await runStep((caller) => {
    const before = finished.flatMap(({ calls }) => calls);
    return resumeAndAudit(demo, caller, before, runIds);
  });
}

/** Returns the ids of all runs. */
async function* runWorkSteps(
  demo: DemoEnvironment,
  runStep: RunStep,
): AsyncGenerator<DemoStep, readonly string[]> {
  let runs: readonly DemoRun[] = [];
  yield await runStep(async (caller) => {
    const plan = await runPlan(demo, caller);
    runs = plan.runs;
    return plan.report;
  });
  let denied = '';
  yield await runStep(async (caller) => {
    const denial = await denyItem(demo, caller);
    denied = denial.runId;
    return denial.report;
  });
  yield await runStep((caller) => verifyRun(runs, caller));
  yield await runStep((caller) => replayFirstRun(runs, caller));
  return [...runs.map(({ run_id }) => run_id), denied];
}

async function* skipWorkSteps(
  missing: readonly string[],
  runStep: RunStep,
): AsyncGenerator<DemoStep, readonly string[]> {
  const titles = {
    plan: 'Run a plan of four items',
    denied: 'Deny an item that exceeds its limits',
    receipt: 'Verify receipts',
    replay: 'Replay a run',
  };
  const weaker = describeMissing(missing);
  for (const [id, title] of Object.entries(titles))
    yield await runStep(async () => ({ id, title, lines: [], facts: {}, weaker }));
  return [];
}
