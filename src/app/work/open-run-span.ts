import { readTelemetrySettings } from '../../agent/telemetry/telemetry-settings.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { sha256 } from '../../system/digest.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { RunSpan, TracedRun } from '../../work/run/run-span.ts';

type SpanDependencies = Pick<CommandContext, 'tool' | 'system'> & Partial<Pick<CommandContext, 'warn'>>;

/** Starts the span of a run when the environment asks for telemetry; its libraries are loaded only then. */
export async function openRunSpan(
  { jobId, runId, itemId, agentId }: TracedRun,
  { tool, system, warn = () => undefined }: SpanDependencies,
): Promise<RunSpan | undefined> {
  const settings = readTelemetrySettings(system.env);
  if (settings?.traces === undefined) return undefined;
  const { openTelemetry } = await import('../../agent/telemetry/open-telemetry.ts');
  const { renderTraceparent } = await import('../../agent/telemetry/trace-context.ts');
  const { SpanKind, SpanStatusCode } = await import('@opentelemetry/api');
  const { fetch } = system;
  const { env } = system;
  // Without a caller, the runs of a job share the trace that its id determines.
  const traceId = sha256(jobId).replace('sha256:', '').slice(0, 32);
  const telemetry = openTelemetry(
    { ...settings, metrics: undefined },
    { env, fetch, version: tool.version, warn, traceId },
  );
  const attributes = {
    'deed.work.job.id': jobId,
    'deed.work.run.id': runId,
    'deed.work.item.id': itemId,
    'gen_ai.agent.name': agentId,
  };
  const span = telemetry.tracer.startSpan(
    `work_run ${itemId}`,
    { kind: SpanKind.INTERNAL, attributes },
    telemetry.parent,
  );
  return {
    traceparent: renderTraceparent(span.spanContext()),
    end: async (status, error) => {
      span.setAttribute('deed.work.run.status', status);
      if (error !== undefined)
        span.setStatus({ code: SpanStatusCode.ERROR, message: redactText(error).slice(0, 500) });
      span.end();
      await telemetry.flush();
    },
  };
}
