import { errorMessage } from '../../base/error-message.ts';
import { excerpt } from '../../base/text.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { Fleet } from '../../work/fleet/fleet.ts';
import { readHostReports, shareHostReport, type HostReport } from '../../work/fleet/host-reports.ts';
import { requireProcesses } from '../../triage/operations/require-processes.ts';
import { surveyMachine } from '../../triage/operations/survey-machine.ts';
import { openTriageContext } from '../../triage/operations/triage-context.ts';
import { machineOf } from '../open-triage.ts';
import { repeat, type Repeated } from './repeat.ts';

/** A worker that ends soon needs no report, and a survey takes a second of processor time. */
const PACE = { firstMs: 3000, everyMs: 5 * 60_000 };

/** Reports what is left running on this host while a worker serves. */
export function startHostReports(
  context: CommandContext,
  fleet: Pick<Fleet, 'id' | 'host' | 'queue' | 'report'>,
): Repeated {
  return repeat(
    PACE,
    () => reportOnce(context, fleet),
    (why) => fleet.report(`cannot report the processes of this host: ${why}`),
  );
}

/** Several workers of one host take turns. */
async function reportOnce(
  context: CommandContext,
  { id, host, queue }: Pick<Fleet, 'id' | 'host' | 'queue'>,
): Promise<void> {
  const [last] = await readHostReports(queue.documents, host);
  if (last !== undefined && last.ageMs < PACE.everyMs / 2) return;
  const survey = await surveyHost(context);
  await shareHostReport(queue.documents, { host, worker_id: id, ...survey });
}

async function surveyHost(context: CommandContext): Promise<Omit<HostReport, 'host' | 'worker_id'>> {
  try {
    const { worst, ...counts } = await surveyMachine(requireProcesses(openTriageContext(machineOf(context))));
    return { problem: null, ...counts, worst: worst.map((each) => ({ ...each })) };
  } catch (error) {
    const problem = excerpt(errorMessage(error), 150);
    return { problem, scanned: 0, left_running: 0, memory_mb: 0, to_review: 0, worst: [] };
  }
}
