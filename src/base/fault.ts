import type { JsonObject } from './json.ts';

export interface FaultOptions {
  /** What to do about it, in one sentence. */
  readonly hint?: string;
  /** Structured context for programs; redacted before it leaves the process. */
  readonly details?: JsonObject;
  /** Nothing was changed. The code alone may leave that open, for example when an upstream did not respond. */
  readonly unchanged?: boolean;
  readonly cause?: unknown;
}

/** An error with a stable code; the only kind of error that callers see. */
export class Fault extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: JsonObject;
  readonly unchanged: boolean;

  constructor(code: string, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
    this.unchanged = options.unchanged ?? false;
  }
}
