import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  MeterProvider,
  MetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { LlmAccountingEntry } from '../accounting-entry.ts';
import { errorAttributes, requestAttributes } from './llm-attributes.ts';

/** The metrics of requests by the semantic conventions for generative AI. */
export interface GenAiMetrics {
  readonly record: (entry: LlmAccountingEntry, failure: string) => void;
  readonly collect: () => Promise<ResourceMetrics>;
}

/** The bucket boundaries that the conventions recommend. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** Metrics are collected when a session ends, not in intervals. */
class Reader extends MetricReader {
  protected override async onShutdown(): Promise<void> {}
  protected override async onForceFlush(): Promise<void> {}
}

export function createGenAiMetrics(resource: Resource, version: string, isDelta: boolean): GenAiMetrics {
  const temporality = isDelta ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE;
  const reader = new Reader({ aggregationTemporalitySelector: () => temporality });
  const meter = new MeterProvider({ resource, readers: [reader] }).getMeter('deed', version);
  const duration = meter.createHistogram('gen_ai.client.operation.duration', {
    unit: 's',
    description: 'Duration of requests to models',
    advice: { explicitBucketBoundaries: SECONDS },
  });
  const usage = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Tokens of requests to models',
    advice: { explicitBucketBoundaries: TOKENS },
  });
  return {
    record: (entry, failure) => {
      const attributes = requestAttributes(entry);
      const { latency, status, tokens } = entry;
      const failed = status === 'failed' ? errorAttributes(failure) : {};
      duration.record(latency / 1000, { ...attributes, ...failed });
      if (status === 'failed') return;
      usage.record(tokens.inputTokens + (tokens.cachedTokens ?? 0), {
        ...attributes,
        'gen_ai.token.type': 'input',
      });
      usage.record(tokens.outputTokens, { ...attributes, 'gen_ai.token.type': 'output' });
    },
    collect: async () => (await reader.collect()).resourceMetrics,
  };
}
