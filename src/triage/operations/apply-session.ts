import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import type { ActionContext } from '../actions/live-process.ts';
import { pinExpected } from '../actions/pinned-process.ts';
import { changeBudget, killsLeft, readBudget } from '../gates/budget-file.ts';
import type { ApplyPolicy } from '../gates/apply-policy.ts';
import { evaluateGates } from '../gates/evaluate-gates.ts';
import type { GateResult } from '../gates/gate.ts';
import { NOTHING_SPENT, spend } from '../gates/spent.ts';
import { identifyActor, protectionOf } from '../gates/live-protection.ts';
import type { PlanDocument, PlannedAction } from '../plan-document.ts';
import { openOutcomes, outcomeKey } from '../session/outcomes.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';
import type { TriageSession } from '../session/session.ts';
import { applyActions, isFinal, type ApplyRun, type ApplyOutcome } from './apply-actions.ts';
import { reassess } from './reassess.ts';
import { requireAssessment } from './require-assessment.ts';
import { chooseActions, type ActionSelection } from './choose-actions.ts';
import { hashCommand } from './find-respawn.ts';
import { KILLS_PER_DAY, resolveOwner, type TriageContext } from './triage-context.ts';

export interface ApplyRequest extends ActionSelection {
  readonly policy: ApplyPolicy;
  readonly graceMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly resume: boolean;
  /** Whether to continue after an action that did not succeed (default true). */
  readonly continueOnError?: boolean | undefined;
}

/** How an apply ended. */
export interface AppliedSession {
  readonly result: ApplyOutcome;
  readonly entries: readonly OutcomeEntry[];
  /** The actions that were not attempted. */
  readonly pending: readonly PlannedAction[];
  readonly resumeCommand: string;
}

export const DEFAULT_GRACE_MS = 5000;

/** Executes the selected actions of a plan that pass the gates. Contract: of two concurrent calls on one triage session, one gets E_CONFLICT. */
export function applySession(
  context: TriageContext,
  session: TriageSession,
  request: ApplyRequest,
): Promise<AppliedSession> {
  return session.exclusively(async () => {
    const plan = session.require('plan.json');
    assertSameBoot(context, plan);
    const effective = resolveRequest(session, request);
    const run = await prepareRun(context, session, plan, effective);
    return execute(session, run, effective, context);
  });
}

/** A resumed apply uses the approved targets and limits, unless the caller passes others. */
function resolveRequest(session: TriageSession, request: ApplyRequest): ApplyRequest {
  if (!request.resume) return request;
  const { approved, state } = session.readManifest();
  if (approved === undefined) throw neverApproved(session.id, state);
  const { requireKnownSignature, ...limits } = request.policy;
  const passed = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  const strict = requireKnownSignature || approved.policy.requireKnownSignature;
  const selects = request.recommended || request.targets !== undefined;
  return {
    ...request,
    ...(!selects && { recommended: approved.recommended, targets: approved.targets }),
    policy: { ...approved.policy, ...passed, requireKnownSignature: strict },
  };
}

async function execute(
  session: TriageSession,
  run: ApplyRun,
  { recommended, targets, policy }: ApplyRequest,
  { environment }: TriageContext,
): Promise<AppliedSession> {
  const { state } = session.readManifest();
  const approved = { recommended, targets, policy };
  if (state === 'planned' || state === 'approved') session.advance('approved', { approved });
  // If all actions are done, another apply changes nothing, not even the records.
  const isDone =
    (state === 'completed' || state === 'verified') && !run.actions.some((action) => isPending(run, action));
  if (!isDone) session.advance('executing', { approved });
  let ended: Awaited<ReturnType<typeof applyActions>>;
  try {
    ended = await applyActions(run);
  } catch (error) {
    session.advance('interrupted');
    session.audit('apply.stopped', { reason: errorMessage(error) });
    throw error;
  }
  if (ended.result !== 'completed') session.advance('interrupted');
  else if (!isDone) session.advance('completed');
  return {
    ...ended,
    pending: run.actions.filter(
      ({ target }) => !ended.entries.some((entry) => entry.target.start_id === target.start_id),
    ),
    resumeCommand: `${environment.program} apply --session ${session.id} --resume`,
  };
}

function isPending({ plan, outcomes }: ApplyRun, { target, action }: PlannedAction): boolean {
  const { startTicks } = requireAssessment(plan, { target });
  const entry = outcomes.find(outcomeKey({ target: { ...target, startTicks }, action }));
  return entry?.progress !== 'done' || !isFinal(entry);
}

/** An action with its gate results. */
export interface PreviewedAction {
  readonly action: PlannedAction;
  readonly gates: readonly GateResult[];
}

/** Evaluates the gates now, without acting. */
export async function previewApply(
  context: TriageContext,
  session: TriageSession,
  request: ApplyRequest,
): Promise<readonly PreviewedAction[]> {
  const plan = session.require('plan.json');
  const effective = resolveRequest(session, request);
  const run = await prepareRun(context, session, plan, effective);
  let spent = NOTHING_SPENT;
  return run.actions.map((action) => {
    const planned = requireAssessment(plan, action);
    const pinning = pinExpected(run.environment, planned);
    const protection = pinning.kind === 'pinned' ? run.protectionOf(pinning.process.live) : undefined;
    if (pinning.kind === 'pinned') pinning.process.release();
    const gates = evaluateGates(
      {
        action: action.action,
        planned,
        current: run.current(planned),
        planAgeMs: run.planAgeMs,
        planCommand: run.planCommand,
        identity: pinning.kind === 'changed' ? pinning : { kind: pinning.kind },
        started: true,
        protection,
        spent,
        budget: { killsLeft: run.killsLeft() - spent.kills, alpha: plan.alpha },
        thresholds: plan.thresholds,
      },
      effective.policy,
    );
    if (gates.every(({ verdict }) => verdict === 'pass' || verdict === 'warn')) {
      spent = spend(planned, spent, action.action === 'kill');
    }
    return { action, gates };
  });
}

async function prepareRun(
  context: TriageContext,
  session: TriageSession,
  plan: PlanDocument,
  request: ApplyRequest,
): Promise<ApplyRun> {
  const { policy, graceMs, timeoutMs, resume, continueOnError = true } = request;
  const actions = chooseActions(context, session, plan, request);
  const { environment, live, parameters } = context;
  const libc = await environment.openLibc();
  const actor = identifyActor(environment.pid, environment.uid, live.readProcess);
  const rules = { protectedNames: parameters.names.protected, uid: resolveOwner(environment, policy.uid) };
  const actionContext: ActionContext = {
    libc,
    readProcess: live.readProcess,
    listParents: live.listParents,
    memoryBytes: live.memoryBytes,
    monotonicMs: environment.monotonicMs,
    sleep: environment.sleep,
    signal: environment.signal,
  };
  const perDay = environment.killsPerDay ?? KILLS_PER_DAY;
  const { uid } = policy;
  return {
    plan,
    actions,
    policy,
    current: await reassess(context, plan, actions, { uid, windowMs: plan.host.windowMs }),
    reassessOne: async (action) =>
      (await reassess(context, plan, [action], { uid, windowMs: 0 }))(requireAssessment(plan, action)),
    planAgeMs: resume ? null : environment.now() - plan.host.takenAtMs,
    planCommand: `${environment.program} plan`,
    outcomes: openOutcomes(session),
    environment: actionContext,
    ports: {
      graceMs: graceMs ?? DEFAULT_GRACE_MS,
      cgroupRoot: environment.cgroupRoot,
      cgroupsOf: live.cgroupsOf,
      setNice: environment.setNice,
      runSupervisor: environment.run,
    },
    protectionOf: (process) => protectionOf(process, actor, rules),
    killsLeft: () => killsLeft(readBudget(environment.dataRoot, environment.now()), perDay),
    takeKill: () => takeKill(context, perDay),
    hashCommand: (pid) => hashCommand(live.commandLine(pid)),
    now: environment.now,
    deadlineMs: timeoutMs === undefined ? undefined : environment.monotonicMs() + timeoutMs,
    continueOnError,
    warn: environment.warn,
  };
}

async function takeKill({ environment }: TriageContext, perDay: number): Promise<boolean> {
  let taken = false;
  await changeBudget(environment.dataRoot, environment.now(), (budget) => {
    taken = killsLeft(budget, perDay) > 0;
    return taken ? { ...budget, kills: [...budget.kills, environment.now()] } : budget;
  });
  return taken;
}

/** Start ticks count from boot, so they identify processes only within one boot. */
function assertSameBoot({ live }: TriageContext, { host, session_id }: PlanDocument): void {
  const bootId = live.bootId();
  if (bootId === host.bootId) return;
  throw new Fault(
    'E_IDENTITY_MISMATCH',
    'The machine was rebooted since the plan was created; none of its processes exist.',
    {
      hint: 'Create a new plan. No action was taken.',
      details: { session_id, expected_boot_id: host.bootId, actual_boot_id: bootId },
    },
  );
}

function neverApproved(id: string, state: string): Fault {
  return new Fault('E_CONFLICT', `Triage session ${id} is ${state}: it has no approved apply to resume.`, {
    hint: `Approve it first: apply --session ${id} --recommended.`,
    details: { session_id: id, state },
  });
}
