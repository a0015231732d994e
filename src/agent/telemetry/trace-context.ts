import type { SpanContext } from '@opentelemetry/api';

/** Parses the W3C `traceparent` of a caller; undefined for an invalid one, which starts a new trace. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const found = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/u.exec(text ?? '');
  const [, traceId = '', spanId = '', flags = ''] = found ?? [];
  if (/^0*$/u.test(traceId) || /^0*$/u.test(spanId) || text?.startsWith('ff')) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** Renders the `traceparent` of a span for its children. */
export function renderTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}
