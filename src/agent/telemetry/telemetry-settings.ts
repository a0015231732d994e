type Environment = Readonly<Record<string, string | undefined>>;

/** Where telemetry is sent, from the `OTEL_*` variables. */
export interface TelemetrySettings {
  readonly traces: SignalSettings | undefined;
  readonly metrics: SignalSettings | undefined;
  /** The name of a protocol that is not supported, so that a signal is not sent. */
  readonly unsupported?: string | undefined;
}

export interface SignalSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly encoding: 'protobuf' | 'json';
  readonly isCompressed: boolean;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** Reads the settings of OpenTelemetry; undefined when no endpoint is set, because nothing is sent to a default one. */
export function readTelemetrySettings(env: Environment): TelemetrySettings | undefined {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  const traces = signalSettings(env, 'TRACES', 'v1/traces');
  const metrics = signalSettings(env, 'METRICS', 'v1/metrics');
  if (traces === undefined && metrics === undefined) return undefined;
  const unsupported = [traces, metrics].find((signal) => typeof signal === 'string');
  return { traces: supported(traces), metrics: supported(metrics), unsupported };
}

function supported(signal: SignalSettings | string | undefined): SignalSettings | undefined {
  return typeof signal === 'string' ? undefined : signal;
}

/** Returns the settings of a signal, undefined if it is not sent, or the name of its protocol if that is not supported. */
function signalSettings(env: Environment, signal: string, path: string): SignalSettings | string | undefined {
  if (env[`OTEL_${signal}_EXPORTER`] === 'none') return undefined;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  // The URL of a single signal is used without a suffix.
  const url =
    env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || (base && `${base.replace(/\/+$/u, '')}/${path}`);
  if (!url) return undefined;
  const protocol = read(env, signal, 'PROTOCOL') ?? 'http/protobuf';
  if (protocol !== 'http/protobuf' && protocol !== 'http/json') return protocol;
  const timeoutMs = Number(read(env, signal, 'TIMEOUT') ?? DEFAULT_TIMEOUT_MS);
  return {
    url,
    headers: {
      ...parsePairs(env.OTEL_EXPORTER_OTLP_HEADERS),
      ...parsePairs(env[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`]),
    },
    timeoutMs: timeoutMs > 0 ? timeoutMs : DEFAULT_TIMEOUT_MS,
    encoding: protocol === 'http/json' ? 'json' : 'protobuf',
    isCompressed: read(env, signal, 'COMPRESSION') === 'gzip',
  };
}

function read(env: Environment, signal: string, name: string): string | undefined {
  return env[`OTEL_EXPORTER_OTLP_${signal}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;
}

/** Parses `key=value` pairs separated by commas; values are percent-encoded. */
export function parsePairs(text = ''): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decode(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
