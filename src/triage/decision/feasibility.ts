import type { Action, ByClass, Exemption, SupervisorInfo } from '../assessment.ts';
import type { Observation } from '../features/observation.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import { percent } from './percent.ts';

export type Infeasible = Readonly<Partial<Record<Action, string>>>;

/** The facts about a process that do not depend on its posterior. */
export interface Circumstances {
  readonly observation: Observation;
  readonly exemption: Exemption | null;
  readonly supervisor: SupervisorInfo;
  /** Why its tree must not be killed, if a descendant is in use or exempt. */
  readonly descendantObjection: string | undefined;
  /** Why it must not be killed, if it runs under an orphaned ancestor that is spared. */
  readonly ancestorObjection: string | undefined;
}

const EXEMPT: Readonly<Record<Exemption, string>> = {
  itself: 'it is this process',
  ancestor: 'it is an ancestor of this process',
  init: 'it is the init process',
  kernel_thread: 'it is a kernel thread',
  protected_name: 'its name is protected',
  excluded: 'it was excluded from the plan',
  other_user: 'it belongs to another user',
  own_session: 'it is in the terminal session of this process',
  young: 'it started during the sampling window',
};

/** Exempt processes that a person may still review. */
const REVIEWABLE: ReadonlySet<Exemption> = new Set(['own_session', 'other_user', 'young']);
const THROTTLE_PERCENT = 5;

/** Returns the actions that are not possible, with the reason; `spare` is always possible. */
export function findInfeasible(
  { observation, exemption, supervisor, descendantObjection, ancestorObjection }: Circumstances,
  posterior: ByClass,
  { thresholds }: Pick<Parameters, 'thresholds'>,
  usefulExcluded = true,
): Infeasible {
  if (exemption !== null) {
    const reason = EXEMPT[exemption];
    const actions = { kill: reason, pause: reason, throttle: reason, restart: reason };
    return REVIEWABLE.has(exemption) && posterior.abandoned + posterior.zombie > thresholds.review
      ? actions
      : { ...actions, review: reason };
  }
  if (observation.state === 'zombie') {
    const reason = 'it has already exited; only its parent can reap it';
    return { kill: reason, pause: reason, throttle: reason, restart: reason };
  }
  const gone = posterior.abandoned + posterior.zombie;
  const blocked =
    observation.activity === 'blocked'
      ? 'it is blocked in the kernel and does not respond to signals'
      : undefined;
  const supervised = supervisor.detected
    ? [`${supervisor.type} would restart it`, supervisor.supervisor_command ?? []].flat().join(': ')
    : undefined;
  const unsure =
    gone > thresholds.kill ? undefined : `${percent(gone)} is not above ${percent(thresholds.kill)}`;
  const unlikely =
    gone > thresholds.review ? undefined : `${percent(gone)} is not above ${percent(thresholds.review)}`;
  const misfit = usefulExcluded ? undefined : 'the conformal set contains "useful", so a person must decide';
  return {
    ...when(
      'kill',
      blocked ??
        supervised ??
        inUse(observation) ??
        unsure ??
        descendantObjection ??
        ancestorObjection ??
        misfit,
    ),
    ...when('pause', blocked ?? (observation.activity === 'stopped' ? 'it is already stopped' : unlikely)),
    ...when(
      'throttle',
      observation.cpuPercent < THROTTLE_PERCENT ? `it uses less than ${THROTTLE_PERCENT} % CPU` : blocked,
    ),
    ...when('restart', supervisor.detected ? undefined : 'no supervisor manages it'),
    ...when('review', posterior.useful_bad > thresholds.review ? undefined : unlikely),
  };
}

/** Returns why a process is in use. Such a process is not killed without review, regardless of its posterior. */
export function inUse({ anchor, writes, network }: Observation): string | undefined {
  // A run kills its own leftover processes when it finishes.
  if (anchor === 'run') return 'its run is still active';
  if (writes === 'moving') return 'it is writing to a file';
  return network === 'serving' ? 'it has client connections' : undefined;
}

function when(action: Action, reason: string | undefined): Infeasible {
  return reason === undefined ? {} : { [action]: reason };
}
