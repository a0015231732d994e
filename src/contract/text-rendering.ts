import type { Fault } from '../base/fault.ts';
import type { Paint } from '../base/paint.ts';

/** How a command shows its answer to people. */
export interface TextRendering<O> {
  /** `columns` is the width of the terminal; infinite where there is none. */
  readonly renderText?: (data: O, paint: Paint, columns: number) => string;
  /** What people see before the message of a fault, such as what succeeded nevertheless. */
  readonly renderFault?: (fault: Fault, paint: Paint) => string;
  /** The columns of a table, by the names of the fields of a row (default: all but hashes and nested values). */
  readonly columns?: readonly string[];
}
