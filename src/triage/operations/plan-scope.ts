import { Fault } from '../../base/fault.ts';
import type { Assessment, Judgement } from '../assessment.ts';
import type { PlanDocument } from '../plan-document.ts';
import type { ProcessFacts, ProcessSnapshot } from '../process-snapshot.ts';

/** What a plan covers: by default all processes. */
export interface PlanScope {
  /** Only the processes of this run. */
  readonly run?: string | undefined;
  /** Only what listens on this TCP port, and the orphans that it runs under. */
  readonly port?: number | undefined;
  /** Processes that no action is planned for: a pid, `pid:start_id`, or a name. */
  readonly exclude?: readonly string[] | undefined;
}

/** Rejects a stored plan that covers something else than requested: apply would act on other processes too. */
export function requireScope(scope: PlanScope, plan: PlanDocument): PlanDocument {
  const [wanted, stored] = [describe(scope), describe(plan)];
  const isFree = scope.run === undefined && scope.port === undefined && (scope.exclude ?? []).length === 0;
  if (isFree || wanted === stored) return plan;
  throw new Fault('E_CONFLICT', `Triage session ${plan.session_id} already has a plan ${stored}.`, {
    hint: `Omit --session to create a plan ${wanted}.`,
    details: { session_id: plan.session_id, requested: wanted },
  });
}

function describe({ run, port, exclude = [] }: PlanScope): string {
  const parts = [
    ...(run === undefined ? [] : [`for run ${run}`]),
    ...(port === undefined ? [] : [`for port ${port}`]),
  ];
  const covered = parts.length === 0 ? 'for all processes' : parts.join(' and ');
  return exclude.length === 0 ? covered : `${covered} without ${exclude.join(', ')}`;
}

/** Returns the processes that listen on a TCP port. */
export function holdersOf({ processes }: ProcessSnapshot, port: number | undefined): readonly ProcessFacts[] {
  return port === undefined
    ? []
    : processes.filter(({ deep }) => deep?.listeningPorts.includes(port) === true);
}

/** Restricts the assessments to a scope. The statistics still cover all processes. */
export function restrictTo(
  judgement: Judgement,
  snapshot: ProcessSnapshot,
  { run, port }: PlanScope,
): Judgement {
  if (run === undefined && port === undefined) return judgement;
  const holders = new Set(holdersOf(snapshot, port).map(({ pid }) => pid));
  if (port !== undefined && holders.size === 0) throw notInSnapshot(port);
  const stems = judgement.assessments.flatMap(({ pid, observation: { stem } }) =>
    holders.has(pid) && stem !== null ? [stem.pid] : [],
  );
  const covered = new Set([...holders, ...stems]);
  const isCovered = ({ pid, observation }: Assessment): boolean =>
    (run === undefined || observation.origin?.run?.id === run) && (port === undefined || covered.has(pid));
  return { ...judgement, assessments: judgement.assessments.filter(isCovered) };
}

function notInSnapshot(port: number): Fault {
  return new Fault('E_NOT_FOUND', `The snapshot has no suspect that listens on TCP port ${port}.`, {
    hint: 'Omit --session to check the port now.',
    details: { resource: 'port', port },
  });
}
