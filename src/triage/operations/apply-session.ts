import { Fault } from '../../base/fault.ts';
import type { ActionContext } from '../actions/live-process.ts';
import { pinExpected } from '../actions/pinned-process.ts';
import { changeBudget, killsLeft, readBudget } from '../gates/budget-file.ts';
import type { ApplyPolicy } from '../gates/apply-policy.ts';
import { evaluateGates } from '../gates/evaluate-gates.ts';
import type { GateResult } from '../gates/gate.ts';
import { identifyActor, protectionOf } from '../gates/live-protection.ts';
import { presentResults, summarizeResults } from '../present/present-results.ts';
import type { PlanDocument, PlannedAction } from '../plan-document.ts';
import { openOutcomes, outcomeKey } from '../session/outcomes.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';
import type { Session } from '../session/session.ts';
import { applyActions, isFinal, requireAssessment, type ApplyRun } from './apply-actions.ts';
import { chooseActions, type Selection } from './choose-actions.ts';
import { markCommand } from './find-respawn.ts';
import { refusalOf } from './refusal.ts';
import { KILLS_PER_DAY, resolveOwner, type TriageContext } from './triage-context.ts';

export interface ApplyRequest extends Selection {
  readonly policy: ApplyPolicy;
  readonly graceMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly resume: boolean;
}

export const DEFAULT_GRACE_MS = 5000;

/** Does what a plan recommends, as far as the gates let it. Contract: two at once on one session: one wins, the other gets E_CONFLICT. */
export function applySession(
  context: TriageContext,
  session: Session,
  request: ApplyRequest,
): Promise<readonly OutcomeEntry[]> {
  return session.exclusively(async () => {
    const plan = session.require('plan.json');
    assertSameBoot(context, plan);
    const kept = keepApproval(session, request);
    const run = await prepareRun(context, session, plan, chooseActions(session, plan, kept), kept);
    return execute(session, run, kept, context);
  });
}

/** A run that goes on keeps to what was approved, unless other limits or targets are given. */
function keepApproval(session: Session, request: ApplyRequest): ApplyRequest {
  if (!request.resume) return request;
  const { approved, state } = session.readManifest();
  if (approved === undefined) throw neverApproved(session.id, state);
  const { requireKnownSignature, ...limits } = request.policy;
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  const strict = requireKnownSignature || approved.policy.requireKnownSignature;
  const chosen = request.recommended || request.targets !== undefined;
  return {
    ...request,
    ...(!chosen && { recommended: approved.recommended, targets: approved.targets }),
    policy: { ...approved.policy, ...given, requireKnownSignature: strict },
  };
}

async function execute(
  session: Session,
  run: ApplyRun,
  { recommended, targets, policy }: ApplyRequest,
  { environment }: TriageContext,
): Promise<readonly OutcomeEntry[]> {
  const { state } = session.readManifest();
  const approved = { recommended, targets, policy };
  if (state === 'planned' || state === 'approved') session.advance('approved', { approved });
  // When everything is done, applying it once more changes nothing, not even the record.
  const isOver =
    (state === 'completed' || state === 'verified') && !run.actions.some((action) => isPending(run, action));
  if (!isOver) session.advance('executing', { approved });
  const resumeCommand = `${environment.program} apply --session ${session.id} --resume`;
  let ended: Awaited<ReturnType<typeof applyActions>>;
  try {
    ended = await applyActions(run);
  } catch (error) {
    session.advance('interrupted');
    session.audit('apply.stopped', { reason: error instanceof Error ? error.message : String(error) });
    throw error;
  }
  if (ended.end !== 'completed') {
    session.advance('interrupted');
    throw stopped(ended.end, ended.entries, run.actions.length, resumeCommand);
  }
  if (!isOver) session.advance('completed');
  const refusal = refusalOf(ended.entries);
  if (refusal !== undefined) throw refusal;
  return ended.entries;
}

function isPending({ plan, outcomes }: ApplyRun, { target, action }: PlannedAction): boolean {
  const { startTicks } = requireAssessment(plan, { target });
  const entry = outcomes.find(outcomeKey({ target: { ...target, startTicks }, action }));
  return entry?.progress !== 'done' || !isFinal(entry);
}

/** An action with what the gates say to it. */
export interface PreviewedAction {
  readonly action: PlannedAction;
  readonly gates: readonly GateResult[];
}

/** What the gates would say now, without touching anything. */
export async function previewApply(
  context: TriageContext,
  session: Session,
  request: ApplyRequest,
): Promise<readonly PreviewedAction[]> {
  const plan = session.require('plan.json');
  const kept = keepApproval(session, request);
  const run = await prepareRun(context, session, plan, chooseActions(session, plan, kept), kept);
  const spent = { memoryMb: 0, kills: 0 };
  return run.actions.map((action) => {
    const planned = requireAssessment(plan, action);
    const pinning = pinExpected(run.environment, planned);
    const protection = pinning.kind === 'pinned' ? run.protectionOf(pinning.process.live) : undefined;
    if (pinning.kind === 'pinned') pinning.process.release();
    const gates = evaluateGates(
      {
        action: action.action,
        planned,
        identity: pinning.kind === 'changed' ? pinning : { kind: pinning.kind },
        begun: true,
        protection,
        spent: { ...spent },
        budget: { killsLeft: run.killsLeft() - spent.kills, alpha: plan.alpha },
        thresholds: plan.thresholds,
      },
      kept.policy,
    );
    if (gates.every(({ verdict }) => verdict === 'pass' || verdict === 'warn')) {
      spent.memoryMb += planned.blast_radius.memory_mb;
      if (action.action === 'kill') spent.kills += 1;
    }
    return { action, gates };
  });
}

async function prepareRun(
  context: TriageContext,
  session: Session,
  plan: PlanDocument,
  actions: readonly PlannedAction[],
  { policy, graceMs, timeoutMs }: ApplyRequest,
): Promise<ApplyRun> {
  const { environment, live, parameters } = context;
  const libc = await environment.openLibc();
  const actor = identifyActor(environment.pid, environment.uid, live.look);
  const rules = { protectedNames: parameters.names.protected, uid: resolveOwner(environment, policy.uid) };
  const actionContext: ActionContext = {
    libc,
    look: live.look,
    listParents: live.listParents,
    memoryBytes: live.memoryBytes,
    monotonicMs: environment.monotonicMs,
    sleep: environment.sleep,
    signal: environment.signal,
  };
  const perDay = environment.killsPerDay ?? KILLS_PER_DAY;
  return {
    plan,
    actions,
    policy,
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
    markCommand: (pid) => markCommand(live.commandLine(pid)),
    now: environment.now,
    deadlineMs: timeoutMs === undefined ? undefined : environment.monotonicMs() + timeoutMs,
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

/** Start ticks count from boot: after another one they mean other processes. */
function assertSameBoot({ live }: TriageContext, { host, session_id }: PlanDocument): void {
  const bootId = live.bootId();
  if (bootId === host.bootId) return;
  throw new Fault(
    'E_IDENTITY_MISMATCH',
    'The machine was started anew since the plan was made; no process of it is left.',
    {
      hint: 'Make a fresh plan; nothing was done.',
      details: { session_id, expected_boot_id: host.bootId, actual_boot_id: bootId },
    },
  );
}

function stopped(
  end: 'timeout' | 'interrupted',
  entries: readonly OutcomeEntry[],
  total: number,
  resumeCommand: string,
): Fault {
  const what = end === 'timeout' ? 'The time for this run is over' : 'The run was interrupted';
  const details = {
    progress: {
      total_actions: total,
      completed_actions: entries.length,
      pending_actions: total - entries.length,
    },
    resume_command: resumeCommand,
    results: presentResults(entries),
    summary: summarizeResults(entries),
  };
  return new Fault(
    end === 'timeout' ? 'E_TIMEOUT' : 'E_INTERRUPTED',
    `${what} after ${entries.length} of ${total} actions; what was done is on record.`,
    { hint: `Go on with: ${resumeCommand}`, details },
  );
}

function neverApproved(id: string, state: string): Fault {
  return new Fault('E_CONFLICT', `Session ${id} is ${state}: nothing was approved that could go on.`, {
    hint: `Approve it first: apply --session ${id} --recommended.`,
    details: { session_id: id, state },
  });
}
