import { RUN_MARK } from '../../base/run-mark-variable.ts';
import type { ProcessFacts, ProcessSnapshot } from '../process-snapshot.ts';
import type { TriageEnvironment } from '../triage-environment.ts';

type Marked = Pick<ProcessSnapshot, 'processes' | 'bootTimeSeconds' | 'ticksPerSecond'>;
type MarkPorts = Pick<TriageEnvironment, 'lookUpRun' | 'isRunMark'>;

/**
 * Removes the run of every process whose mark is forged, or that was started after the run had ended: such a process would be killed
 * as a leftover of the run. The id of an active run only protects, so it counts without a mark. Marks are not stored.
 */
export function checkRunMarks(
  snapshot: Marked,
  { lookUpRun, isRunMark }: MarkPorts,
): readonly ProcessFacts[] {
  const counts = (process: ProcessFacts, runId: string, mark: string): boolean => {
    const run = lookUpRun?.(runId);
    if (run === undefined || run.alive || isRunMark === undefined) return true;
    if (!isRunMark(runId, mark)) return false;
    return run.endedAt === null || startMs(snapshot, process) <= Date.parse(run.endedAt);
  };
  return snapshot.processes.map((process) => {
    const { deep } = process;
    if (deep === null) return process;
    const { [RUN_MARK]: mark = '', ...environment } = deep.environment;
    const { runId } = deep;
    const isOwn = runId !== null && counts(process, runId, mark);
    return { ...process, deep: { ...deep, environment, runId: isOwn ? runId : null } };
  });
}

/** Never later than the real start: the kernel rounds the boot time down to a second, and the start to a tick. */
function startMs({ bootTimeSeconds, ticksPerSecond }: Marked, { startTicks }: ProcessFacts): number {
  return (bootTimeSeconds + startTicks / ticksPerSecond) * 1000;
}
