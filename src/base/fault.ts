import type { JsonObject } from './json.ts';

export interface FaultOptions {
  /** What to do about it, in one sentence. */
  readonly hint?: string;
  /** Structured context for programs; redacted before it leaves the process. */
  readonly details?: JsonObject;
  /** Nothing was changed, for certain: a code alone can leave that open, as when an upstream gave no answer. */
  readonly unchanged?: boolean;
  readonly cause?: unknown;
}

/** A refusal or failure with a stable code; the only error that callers are meant to see. */
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
