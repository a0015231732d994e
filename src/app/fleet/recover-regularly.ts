import type { Fleet } from '../../work/fleet/fleet.ts';
import { recoverRuns } from '../../work/plan/recover-runs.ts';
import { repeat, type Repeated } from './repeat.ts';

const PACE = { firstMs: 60_000, everyMs: 60_000 };

/**
 * Recovers runs of other processes of this home that were killed. At intervals and not after each item, because recovery reads all runs
 * of the home, and a busy worker has many.
 */
export function startRecovering({ work, report }: Pick<Fleet, 'work' | 'report'>): Repeated {
  const recover = async (): Promise<void> => void (await recoverRuns(work));
  return repeat(PACE, recover, (why) => report(`cannot recover earlier runs: ${why}`));
}
