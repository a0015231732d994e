import type { ErrorKind, FailureReason, FinalReport } from '../agent-result.ts';

/** The outcome of all turns: a report, or the reason why there is none. */
export type TurnsOutcome =
  | { readonly report: FinalReport }
  | { readonly reason: FailureReason; readonly error: string; readonly errorKind: ErrorKind };
