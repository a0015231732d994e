import type { WorkContext } from '../work-context.ts';
import type { RunDraft } from './run-draft.ts';

/** Makes an attempt part of a trace, if there is telemetry. */
export async function traceRun<T extends { readonly draft: RunDraft }>(
  context: WorkContext,
  { jobId, runId, item }: RunDraft,
  attempt: (context: WorkContext) => Promise<T>,
): Promise<T> {
  const span = await context.openSpan?.({ jobId, runId, itemId: item.id, agentId: item.agent_id });
  if (span === undefined) return attempt(context);
  const attempted = await attempt({ ...context, traceparent: span.traceparent });
  const { status, error } = attempted.draft;
  await span.end(status, error);
  return attempted;
}
