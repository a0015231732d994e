import { printable } from '../../base/text.ts';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { Job } from '../../work/plan/job.ts';
import type { WorkContext } from '../../work/work-context.ts';
import type { WorkEvent } from '../../work/run/work-event.ts';
import { loadWork } from './load-work.ts';
import type { ItemFollower } from './follow-items.ts';

/** Opens the work part for a command that runs agents. The consent to run unsandboxed comes from the call or from the settings. */
export async function openRunContext(
  { allow_unsandboxed: consent }: { readonly allow_unsandboxed: boolean },
  context: CommandContext,
  onEvent?: (event: WorkEvent) => void,
): Promise<WorkContext> {
  const opened = (await loadWork()).openWorkContext(context, onEvent);
  return consent ? { ...opened, allowUnsandboxed: true } : opened;
}

/**
 * Shows what happens on standard error: a changing line per item on a terminal, otherwise a line per event, with the last lines of an agent
 * that failed. Each event goes to the stream.
 */
export function reportEvents(context: CommandContext, follower?: ItemFollower): (event: WorkEvent) => void {
  return (event) => {
    context.emit(event as unknown as JsonObject);
    if (follower?.onEvent(event) === true || event.type === 'tool.called') return;
    const what = [event.item_id, event.status, event.message].filter(Boolean).join(' · ');
    context.progress(printable(`${event.type}${what ? ` ${what}` : ''}`));
    for (const line of event.output ?? []) context.progress(printable(`  ${event.item_id}: ${line}`));
  };
}

/** The fault of a job whose process is forced to exit. */
export function interruptedJob(tool: string, job: Job): Fault {
  const resume = `${tool} work run --resume ${job.id}`;
  return new Fault('E_INTERRUPTED', `Job ${job.id} was interrupted and did not stop in time.`, {
    hint: `Resume it: ${resume}`,
    details: { job_id: job.id, resume },
  });
}
