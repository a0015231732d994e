import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { Change } from '../../contract/plan.ts';
import type { ItemRecord } from '../../work/fleet/item-record.ts';
import type { Approval } from '../../work/run/run-draft.ts';
import { readCurrentJob, readWaitingItem, type FleetRun } from './follow-fleet.ts';
import { personOrAgent } from './require-person.ts';

/** Decides about a run on another host: an approved one lands when an integrator takes it. */
export async function decideElsewhere(
  run: FleetRun,
  runId: string,
  approval: Approval,
  context: CommandContext,
) {
  const { work, remote, record } = await readWaitingItem(run, runId, context);
  const { decideItem } = await import('../../work/fleet/decide-item.ts');
  const decided = await decideItem({ id: personOrAgent(context), work, remote }, record, approval);
  await showElsewhere(decided, context);
  await readCurrentJob(run.job.id, context);
  return {
    item_id: record.item_id,
    run_id: runId,
    ...decided.result,
    resume: `${context.tool.name} work status --id ${run.job.id}`,
  };
}

/** Shows the decision to the other hosts; the ref of the item has it already. */
async function showElsewhere(record: ItemRecord, context: CommandContext): Promise<void> {
  const { withQueue } = await import('../../app/fleet/with-queue.ts');
  const { publishRecord } = await import('../../app/fleet/open-fleet.ts');
  try {
    await withQueue(context, (queue) => publishRecord(queue, record, context.warn));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    context.warn(`Other hosts see the decision when the item has landed: ${error.message}`);
  }
}

/** The files of a run on another host that a decision is about. */
export function listFiles({ result, commit = '' }: ItemRecord, verb: 'approve' | 'reject'): Change[] {
  const files = Object.entries({
    create: result?.created_files ?? [],
    modify: result?.modified_files ?? [],
    delete: result?.deleted_files ?? [],
  });
  return files.flatMap(([action, paths]) =>
    paths.map((id) => ({
      action: verb === 'approve' ? action : 'discard',
      resource: 'file',
      id,
      version: commit.slice(0, 16),
    })),
  );
}
