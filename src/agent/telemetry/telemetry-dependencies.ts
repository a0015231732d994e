/** What telemetry needs from its caller. */
export interface TelemetryDependencies {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof globalThis.fetch;
  readonly version: string;
  readonly warn: (message: string) => void;
  /** The id of new traces; random when absent. */
  readonly traceId?: string;
}
