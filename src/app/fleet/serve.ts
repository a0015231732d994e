import { join } from 'node:path';
import type { CommandContext } from '../../contract/command.ts';
import { Fault } from '../../base/fault.ts';
import { limitJitLater } from '../../system/limit-jit.ts';
import { ownPid } from '../../system/own-pid.ts';
import { withoutLostOutcomes } from '../../work/fleet/fleet-journal.ts';
import { readFleetTrust, requireWorkers } from '../../work/fleet/check-proof.ts';
import type { Fleet } from '../../work/fleet/fleet.ts';
import { integrateItems } from '../../work/fleet/integrate-items.ts';
import { readLedgerTip } from '../../work/fleet/ledger/read-ledger.ts';
import { createBudget } from '../../work/fleet/queue-budget.ts';
import { serveQueue } from '../../work/fleet/serve-queue.ts';
import { workOnItem } from '../../work/fleet/work-on-item.ts';
import { deliverOutcomes } from '../../work/journal/outbox.ts';
import { recoverRuns } from '../../work/plan/recover-runs.ts';
import { openSigningKey } from '../../work/receipt/signing-key.ts';
import { requireIsolation } from '../../work/run/describe-isolation.ts';
import type { WorkContext } from '../../work/work-context.ts';
import { readIdentity } from '../../work/workspace/landing/read-identity.ts';
import { startCollecting } from './collect-regularly.ts';
import { startRecovering } from './recover-regularly.ts';
import { startHostReports } from './report-host.ts';
import { openFleet, type FleetOptions } from './open-fleet.ts';

export interface ServeOptions extends FleetOptions {
  readonly role: 'worker' | 'integrator';
  readonly jobs: number;
  readonly labels: readonly string[];
  /** The maximum number of items of the queue that run at the same time, on all hosts. */
  readonly concurrency?: number | undefined;
  /** Items are taken only while the runs of a day cost less than this, on all hosts. */
  readonly costUsdPerDay?: number | undefined;
}

/** How many results land together; more would let the first of them wait longer. */
const MAX_LANDED_TOGETHER = 8;

export interface Served {
  readonly worker_id: string;
  readonly handled: number;
}

/** Takes entries of a queue until it is drained or interrupted, then finishes the entries that it holds. */
export async function serve(
  context: CommandContext,
  given: WorkContext,
  options: ServeOptions,
): Promise<Served> {
  limitJitLater();
  const work = withoutLostOutcomes(given);
  const { role, jobs, concurrency, costUsdPerDay } = options;
  const opened = await openFleet(context, work, options);
  const budget = createBudget({ ...opened, home: work.home }, { costUsdPerDay });
  const fleet = { ...opened, budget };
  const { queue, queueName, remote, id } = fleet;
  try {
    const { keyId } = openSigningKey(join(work.home, 'keys'));
    if (role === 'integrator') await checkTrust(fleet);
    await readIdentity(work.workspace, remote.root);
    // Runs of an earlier process of this home that was killed; other hosts may have done their work meanwhile.
    await recoverRuns(work);
    await deliverOutcomes(work);
    const labels = [...new Set([...(await ownLabels(context, work)), ...options.labels])].sort();
    context.progress(`${role} ${id} serves ${options.queue} for ${remote.url}: ${labels.join(' ')}`);
    context.progress(`${id} signs with the key ${keyId}`);
    context.onForcedExit(() => interruptedWhileDraining(id), { waits: true });
    const startedAt = new Date(work.clock.now()).toISOString();
    const info = {
      id,
      role,
      queue: options.queue,
      queueName,
      host: context.system.account.host,
      pid: ownPid(),
      labels,
      jobs,
      startedAt,
    };
    const reports = startHostReports(context, fleet);
    const recovering = startRecovering(fleet);
    const collecting = role === 'integrator' ? startCollecting(context, fleet) : undefined;
    const handled = await serveQueue(fleet, {
      info,
      drain: context.signal,
      ...(role === 'worker'
        ? {
            take: async () => {
              const lease = await budget.takeWithin(() => queue.takeItem(queueName, labels, { concurrency }));
              return lease === undefined ? [] : [lease];
            },
            handle: async ([lease], signal) => lease && workOnItem(fleet, lease, signal),
          }
        : {
            take: () => queue.takeLandings(queueName, MAX_LANDED_TOGETHER),
            handle: (leases, signal) => integrateItems(fleet, leases, signal),
          }),
    }).finally(() => Promise.all([reports.stop(), recovering.stop(), collecting?.stop()]));
    return { worker_id: id, handled };
  } finally {
    await queue.close();
  }
}

/** Throws if no result could land. An unreachable remote is only reported, because it may become reachable again. */
async function checkTrust(fleet: Fleet): Promise<void> {
  requireWorkers(fleet);
  const { work, remote } = fleet;
  await readLedgerTip({ home: work.home, remote, trust: readFleetTrust(fleet) }).catch((error: unknown) => {
    if (!(error instanceof Fault) || error.code !== 'E_NETWORK') throw error;
    fleet.report(error.message);
  });
}

/** Labels that describe the host. */
async function ownLabels({ system }: CommandContext, work: WorkContext): Promise<readonly string[]> {
  const { isolation } = await requireIsolation(work);
  return [system.platform, system.arch, isolation];
}

function interruptedWhileDraining(id: string): Fault {
  return new Fault('E_INTERRUPTED', `${id} was interrupted before its items had finished.`, {
    hint: 'Other workers continue these items within seconds.',
    details: { worker_id: id },
  });
}
