import type { Action, ByClass, Exemption, SupervisorInfo } from '../assessment.ts';
import type { Observation } from '../features/observation.ts';
import type { Parameters } from '../parameters/model-parameters.ts';
import { percent } from './percent.ts';

export type Infeasible = Readonly<Partial<Record<Action, string>>>;

/** What does not depend on how sure we are. */
export interface Circumstances {
  readonly observation: Observation;
  readonly exemption: Exemption | null;
  readonly supervisor: SupervisorInfo;
  /** Why its whole tree may not be ended, when something below it may not. */
  readonly below: string | undefined;
  /** Why it may not be ended under the one it hangs on, when that one is not to be ended itself. */
  readonly above: string | undefined;
}

const EXEMPT: Readonly<Record<Exemption, string>> = {
  itself: 'it is this program',
  ancestor: 'this program runs under it',
  init: 'it is the first process',
  kernel_thread: 'it belongs to the kernel',
  protected_name: 'its name is protected',
  other_user: 'it belongs to another user',
  own_session: 'it is in the terminal session of this program',
  young: 'it did not outlive the sampling window',
};

/** For these a person may be asked to look; for the rest there is nothing to decide. */
const REVIEWABLE: ReadonlySet<Exemption> = new Set(['own_session', 'other_user', 'young']);
const THROTTLE_PERCENT = 5;

/** Tells which actions are not to be had, and why; `spare` always is. */
export function findInfeasible(
  { observation, exemption, supervisor, below, above }: Circumstances,
  posterior: ByClass,
  { thresholds }: Pick<Parameters, 'thresholds'>,
  usefulExcluded = true,
): Infeasible {
  if (exemption !== null) {
    const reason = EXEMPT[exemption];
    const acts = { kill: reason, pause: reason, throttle: reason, restart: reason };
    return REVIEWABLE.has(exemption) && posterior.abandoned + posterior.zombie > thresholds.review
      ? acts
      : { ...acts, review: reason };
  }
  if (observation.state === 'zombie') {
    const reason = 'it has ended already; only its parent can collect it';
    return { kill: reason, pause: reason, throttle: reason, restart: reason };
  }
  const gone = posterior.abandoned + posterior.zombie;
  const blocked =
    observation.activity === 'blocked' ? 'it is blocked in the kernel and takes no signal' : undefined;
  const supervised = supervisor.detected
    ? [`${supervisor.type} would start it again`, supervisor.supervisor_command ?? []].flat().join(': ')
    : undefined;
  const unsure =
    gone > thresholds.kill ? undefined : `${percent(gone)} is not above ${percent(thresholds.kill)}`;
  const unlikely =
    gone > thresholds.review ? undefined : `${percent(gone)} is not above ${percent(thresholds.review)}`;
  const misfit = usefulExcluded ? undefined : 'useful processes like it are known, so a person must decide';
  return {
    ...when('kill', blocked ?? supervised ?? unsure ?? inUse(observation) ?? below ?? above ?? misfit),
    ...when('pause', blocked ?? (observation.activity === 'stopped' ? 'it is stopped already' : unlikely)),
    ...when(
      'throttle',
      observation.cpuPercent < THROTTLE_PERCENT ? 'it uses hardly any processor time' : blocked,
    ),
    ...when('restart', supervisor.detected ? undefined : 'nothing supervises it'),
    ...when('review', posterior.useful_bad > thresholds.review ? undefined : unlikely),
  };
}

/** Whatever the posterior says, who writes, is connected to or belongs to a run that goes on is not ended without a person's word. */
export function inUse({ anchor, writes, network }: Observation): string | undefined {
  // The run itself ends what it leaves, when it is over.
  if (anchor === 'run') return 'its run goes on';
  if (writes === 'moving') return 'it is writing to a file';
  return network === 'serving' ? 'somebody is connected to it' : undefined;
}

function when(action: Action, reason: string | undefined): Infeasible {
  return reason === undefined ? {} : { [action]: reason };
}
