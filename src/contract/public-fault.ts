import { Fault as AnyFault, type FaultOptions } from '../base/fault.ts';
import type { ErrorCode } from './generated.ts';
import type { OwnErrorCode } from './own-error-codes.ts';

/** The class of all errors for users of the library: an unknown code does not compile. */
interface FaultConstructor {
  new (code: ErrorCode | OwnErrorCode, message: string, options?: FaultOptions): AnyFault;
  readonly prototype: AnyFault;
}

export const Fault: FaultConstructor = AnyFault;
export type Fault = AnyFault;
