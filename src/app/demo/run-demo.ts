import type { System } from '../../contract/system.ts';
import { chooseModel, type LiveModel } from './choose-model.ts';
import { checkReceipts, replayRun } from './check-receipts.ts';
import { createCaller, type DemoCaller } from './demo-caller.ts';
import type { DemoStep, DemoTale } from './demo-step.ts';
import { denyItem } from './deny-item.ts';
import { endLeftover } from './end-leftover.ts';
import { openStage, type DemoStage } from './open-stage.ts';
import { runPlan, type DemoRun } from './run-plan.ts';
import { prepareStage } from './prepare-stage.ts';
import { tellStory } from './tell-story.ts';

export interface DemoRequest {
  readonly folder?: string | undefined;
  readonly live: boolean;
  readonly model?: string | undefined;
}

const STEPS = 7;

/**
 * Shows on a repository of its own what deed does, step by step, with the very commands that anybody could type. What it has started it
 * ends, however it ends itself; what it has written stays for its reader.
 */
export async function* runDemo(
  request: DemoRequest,
  system: System,
  signal: AbortSignal,
): AsyncGenerator<DemoStep> {
  const live = chooseModel(request.live, request.model, system.env);
  const stage = await openStage(system, request.folder, live?.env);
  const steps: DemoStep[] = [];
  const take = async (tell: (caller: DemoCaller) => Promise<DemoTale>): Promise<DemoStep> => {
    signal.throwIfAborted();
    const caller = createCaller(stage, signal);
    const tale = await tell(caller);
    const step = { step: steps.length + 1, steps: STEPS, calls: caller.calls, ...tale };
    steps.push(step);
    return step;
  };
  try {
    yield* play(stage, live, signal, take, steps);
  } finally {
    stage.strike();
  }
}

type Take = (tell: (caller: DemoCaller) => Promise<DemoTale>) => Promise<DemoStep>;

async function* play(
  stage: DemoStage,
  live: LiveModel | undefined,
  signal: AbortSignal,
  take: Take,
  told: readonly DemoStep[],
): AsyncGenerator<DemoStep> {
  yield await take((caller) => prepareStage(stage, live, caller));
  const runIds = stage.hasGit ? yield* playWork(stage, take) : yield* leaveWorkOut(take);
  yield await take((caller) => endLeftover(stage, caller, signal));
  yield await take((caller) => {
    const before = told.flatMap(({ calls }) => calls);
    return tellStory(stage, caller, before, runIds);
  });
}

/** Gives the ids of all runs. */
async function* playWork(stage: DemoStage, take: Take): AsyncGenerator<DemoStep, readonly string[]> {
  let runs: readonly DemoRun[] = [];
  yield await take(async (caller) => {
    const plan = await runPlan(stage, caller);
    runs = plan.runs;
    return plan.tale;
  });
  let denied = '';
  yield await take(async (caller) => {
    const denial = await denyItem(stage, caller);
    denied = denial.runId;
    return denial.tale;
  });
  yield await take((caller) => checkReceipts(runs, caller));
  yield await take((caller) => replayRun(runs, caller));
  return [...runs.map(({ run_id }) => run_id), denied];
}

async function* leaveWorkOut(take: Take): AsyncGenerator<DemoStep, readonly string[]> {
  const titles = {
    plan: 'A plan of four items',
    denied: 'An item that does more than it may',
    receipt: 'Receipts',
    replay: 'A replay',
  };
  const weaker = 'There is no git on this machine, and work happens on git trees: this step was left out.';
  for (const [id, title] of Object.entries(titles))
    yield await take(async () => ({ id, title, lines: [], facts: {}, weaker }));
  return [];
}
