import type { CallerPorts } from '../open-plan.ts';
import type { SessionOrigin } from './session-spans.ts';
import type { TelemetryDependencies } from './telemetry-dependencies.ts';
import { readTelemetrySettings } from './telemetry-settings.ts';

/** The telemetry of one session. */
export interface SessionTelemetry {
  /** The W3C trace context of its span, for the processes that it starts. */
  readonly traceparent: string;
  /** Adds telemetry to the ports of the session. */
  readonly observe: (ports: CallerPorts) => CallerPorts;
}

/** Starts the telemetry of a session when the environment asks for it; its libraries are loaded only then. */
export async function startSessionTelemetry(
  origin: SessionOrigin,
  deps: TelemetryDependencies,
): Promise<SessionTelemetry | undefined> {
  const settings = readTelemetrySettings(deps.env);
  if (settings === undefined) return undefined;
  if (settings.unsupported !== undefined)
    deps.warn(
      `Telemetry is not sent: OTEL_EXPORTER_OTLP_PROTOCOL is ${settings.unsupported}; use http/protobuf or http/json.`,
    );
  if (settings.traces === undefined && settings.metrics === undefined) return undefined;
  const { openTelemetry } = await import('./open-telemetry.ts');
  const { SessionSpans } = await import('./session-spans.ts');
  const { renderTraceparent } = await import('./trace-context.ts');
  const { tracer, metrics, parent, flush } = openTelemetry(settings, deps);
  const spans = new SessionSpans(tracer, metrics, parent, origin);
  return {
    traceparent: renderTraceparent(spans.root.spanContext()),
    observe: ({ onEvent, ...ports }) => ({
      ...ports,
      onEvent: (event) => {
        spans.onEvent(event);
        onEvent?.(event);
      },
      flush,
    }),
  };
}
