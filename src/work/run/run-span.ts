/** A run as telemetry describes it. */
export interface TracedRun {
  readonly jobId: string;
  readonly runId: string;
  readonly itemId: string;
  readonly agentId: string;
}

/** The span of a run. */
export interface RunSpan {
  /** The W3C trace context for the processes of the run. */
  readonly traceparent: string;
  /** Ends the span and sends it. Contract: does not throw. */
  readonly end: (status: string, error: string | undefined) => Promise<void>;
}
