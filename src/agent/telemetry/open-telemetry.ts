import { ROOT_CONTEXT, trace, type Context, type Tracer } from '@opentelemetry/api';
import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import {
  RandomIdGenerator,
  TracerProvider,
  type IdGenerator,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace';
import { createGenAiMetrics, type GenAiMetrics } from './genai-metrics.ts';
import { createOtlpSender } from './otlp-sender.ts';
import type { TelemetryDependencies } from './telemetry-dependencies.ts';
import { parsePairs, type TelemetrySettings } from './telemetry-settings.ts';
import { parseTraceparent } from './trace-context.ts';

/** An open exporter of spans and metrics. */
export interface Telemetry {
  readonly tracer: Tracer;
  readonly metrics: GenAiMetrics | undefined;
  /** The context of the caller's span, which is the parent of new ones. */
  readonly parent: Context;
  /** Sends what was recorded. Contract: never rejects. */
  readonly flush: () => Promise<void>;
}

/** How many finished spans wait at most; more are dropped, because a receiver may be down for the whole session. */
const MAX_SPANS = 20_000;

/** Opens the exporters for spans and metrics over OTLP/HTTP. */
export function openTelemetry(settings: TelemetrySettings, deps: TelemetryDependencies): Telemetry {
  const { env, version } = deps;
  const resource = createResource(env, version);
  const finished: ReadableSpan[] = [];
  const spanProcessors = [
    {
      onStart: () => undefined,
      onEnd: (span: ReadableSpan) => {
        if (finished.length < MAX_SPANS) finished.push(span);
      },
      forceFlush: async () => undefined,
      shutdown: async () => undefined,
    },
  ];
  const tracer = new TracerProvider({ resource, spanProcessors, idGenerator: idsOf(deps) }).getTracer(
    'deed',
    version,
  );
  const isDelta = env.OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE?.toLowerCase() === 'delta';
  const metrics = settings.metrics && createGenAiMetrics(resource, version, isDelta);
  const sendSpans = createSpanSender(settings, deps);
  const sendMetrics = createMetricsSender(settings, deps, metrics);
  const caller = parseTraceparent(env.TRACEPARENT);
  return {
    tracer,
    metrics,
    parent: caller === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, caller),
    flush: async () => {
      await Promise.all([sendSpans(finished.splice(0)), sendMetrics()]);
    },
  };
}

function idsOf({ traceId }: TelemetryDependencies): IdGenerator {
  const random = new RandomIdGenerator();
  return {
    generateTraceId: () => traceId ?? random.generateTraceId(),
    generateSpanId: () => random.generateSpanId(),
  };
}

function createSpanSender(
  { traces }: TelemetrySettings,
  { fetch, warn }: TelemetryDependencies,
): (spans: ReadableSpan[]) => Promise<void> {
  if (traces === undefined) return async () => undefined;
  const sender = createOtlpSender(traces, fetch, warn);
  const serializer = traces.encoding === 'json' ? JsonTraceSerializer : ProtobufTraceSerializer;
  return async (spans) => {
    if (spans.length > 0) await sender.send(serializer.serializeRequest(spans));
  };
}

function createMetricsSender(
  { metrics: signal }: TelemetrySettings,
  { fetch, warn }: TelemetryDependencies,
  metrics: GenAiMetrics | undefined,
): () => Promise<void> {
  if (signal === undefined || metrics === undefined) return async () => undefined;
  const sender = createOtlpSender(signal, fetch, warn);
  const serializer = signal.encoding === 'json' ? JsonMetricsSerializer : ProtobufMetricsSerializer;
  return async () => {
    const collected = await metrics.collect();
    if (collected.scopeMetrics.length > 0) await sender.send(serializer.serializeRequest(collected));
  };
}

function createResource(env: TelemetryDependencies['env'], version: string): Resource {
  return resourceFromAttributes({
    'service.name': env.OTEL_SERVICE_NAME || 'deed',
    'service.version': version,
    ...parsePairs(env.OTEL_RESOURCE_ATTRIBUTES),
    ...(env.OTEL_SERVICE_NAME && { 'service.name': env.OTEL_SERVICE_NAME }),
  });
}
