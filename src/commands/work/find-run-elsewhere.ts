import { existsSync } from 'node:fs';
import { hasQueue, withQueue } from '../../app/fleet/with-queue.ts';
import { Fault } from '../../base/fault.ts';
import { ownMember } from '../../base/own-member.ts';
import type { CommandContext } from '../../contract/command.ts';
import { parseRunningItems, type RunningItem } from '../../work/fleet/item-activity.ts';
import type { SharedLog } from '../../work/fleet/shared-logs.ts';
import type { WorkerInfo, WorkQueue } from '../../work/fleet/work-queue.ts';
import { readFleetStates, type FleetState } from '../../work/plan/fleet-states.ts';
import { isId, runFolder } from '../../work/run/run-folder.ts';
import { readRunState } from '../../work/run/run-state.ts';
import { findFleetRun, readCurrentJob, type FleetRun } from './follow-fleet.ts';

/** A run on another host: its item, and its state if that is known. */
export interface RunElsewhere extends FleetRun {
  readonly runId: string;
  /** The name of the host; empty if it is not known. */
  readonly host: string;
  readonly state?: FleetState | undefined;
}

/** A running item, with its worker. */
export interface LiveItem extends RunningItem {
  readonly worker: Pick<WorkerInfo, 'id' | 'host'>;
}

/**
 * Finds a run whose decision is recorded in the ref of its item, so of a job over a queue. The worker that ran it may belong to this home.
 * Undefined for other runs, which wait in this home.
 */
export async function findFleetRunToDecide(
  runId: string,
  context: CommandContext,
): Promise<FleetRun | undefined> {
  const home = context.home.path;
  const known = findFleetRun(home, runId);
  if (known !== undefined || !isId('run', runId)) return known;
  const isLocal = existsSync(runFolder(home, runId)) && readRunState(home, runId) !== undefined;
  return isLocal ? undefined : findInStore(runId, context);
}

/** Finds a run of another home through the jobs of this home and the shared store; undefined for runs of this home and unknown runs. */
export async function findRunElsewhere(
  runId: string,
  context: CommandContext,
): Promise<RunElsewhere | undefined> {
  const home = context.home.path;
  if (!isId('run', runId) || existsSync(runFolder(home, runId))) return undefined;
  const known = findFleetRun(home, runId);
  if (known !== undefined) return describe(known, runId, home);
  return findInStore(runId, context);
}

async function findInStore(runId: string, context: CommandContext): Promise<RunElsewhere | undefined> {
  if (!hasQueue(context)) return undefined;
  const found = await withQueue(context, (queue) => locateRun(queue, runId));
  if (found === undefined) return undefined;
  const job = await readCurrentJob(found.jobId, context);
  if (job.fleet === undefined) return undefined;
  const run = { job: { ...job, fleet: job.fleet }, itemId: found.itemId };
  return { ...describe(run, runId, context.home.path), host: found.host };
}

function describe(run: FleetRun, runId: string, home: string): RunElsewhere {
  const state = ownMember(readFleetStates(home, run.job.id), run.itemId);
  const isCurrent = state?.runId === runId;
  return { ...run, runId, host: hostOf(state?.by ?? ''), ...(isCurrent && { state }) };
}

interface RunPlace {
  readonly jobId: string;
  readonly itemId: string;
  readonly host: string;
}

async function locateRun(queue: WorkQueue, runId: string): Promise<RunPlace | undefined> {
  const log = await readLog(queue, runId);
  if (log !== undefined) return log;
  const live = (await listLive(queue)).find((item) => item.runId === runId);
  return live && { ...live, host: live.worker.host };
}

async function readLog({ documents }: WorkQueue, runId: string): Promise<SharedLog | undefined> {
  const { readSharedLog } = await import('../../work/fleet/shared-logs.ts');
  return readSharedLog(documents, runId);
}

/** Lists the items that the workers of all hosts run. */
export async function listLive(queue: Pick<WorkQueue, 'workers'>): Promise<readonly LiveItem[]> {
  return (await queue.workers()).flatMap(({ id, host, items }) =>
    parseRunningItems(items).map((item) => ({ ...item, worker: { id, host } })),
  );
}

/** Returns the host of a worker, which its id starts with. */
export function hostOf(workerId: string): string {
  return workerId.replace(/-[0-9a-f]{8}$/u, '');
}

/** Creates the fault for data that only the host of a run has; `what` names the data. */
export function onlyOnHost({ runId, host }: RunElsewhere, what: string, command: string): Fault {
  return new Fault('E_CONFLICT', `Run ${runId} ran on ${host}; ${what}.`, {
    hint: `On ${host}: deed work ${command} ${runId}`,
    details: { field: 'id', id: runId, host },
  });
}
