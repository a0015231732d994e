import type { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import type { Paint } from '../base/paint.ts';

/** A notice that can be part of any reply, such as a newer version. */
export interface Notice extends JsonObject {
  readonly type: string;
  readonly severity: 'info' | 'warning';
}

interface ReplyBase {
  readonly durationMs: number;
  readonly notices: readonly Notice[];
}

/** The outcome of a command before a dialect renders it. */
export type Reply = ValueReply | StreamReply | FaultReply;

export interface ValueReply extends ReplyBase {
  readonly kind: 'value';
  readonly data: JsonObject;
  /** Whether the call was a read or a dry run, whose answer may be replaced by an interruption until it is written. */
  readonly changesNothing?: boolean;
  /** The validated parameters of the call, with full ids. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The columns of a table for people. */
  readonly columns?: readonly string[] | undefined;
  /** `data` as text, if the command has its own rendering. */
  readonly text?: ((paint: Paint, columns: number) => string) | undefined;
  /** `data` as verbatim bytes, if the command has a raw format. */
  readonly raw?: (() => string) | undefined;
}

/**
 * Contract: iterating never throws. A failure in the middle arrives as a line with a fault; the summary always comes last.
 */
export interface StreamReply extends ReplyBase {
  readonly kind: 'stream';
  readonly lines: AsyncIterable<StreamLine>;
}

export type StreamLine =
  | {
      readonly type: 'item' | 'summary';
      readonly data: JsonObject;
      /** `data` as text, if the command has its own rendering; empty when there is nothing to add. */
      readonly text?: ((paint: Paint, columns: number) => string) | undefined;
    }
  | { readonly type: 'error'; readonly fault: Fault };

export interface FaultReply extends ReplyBase {
  readonly kind: 'fault';
  readonly fault: Fault;
  /** What people see before the message, such as what succeeded nevertheless. */
  readonly text?: ((paint: Paint) => string) | undefined;
}
