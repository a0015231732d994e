import { errorMessage } from '../base/error-message.ts';
import { Fault } from '../base/fault.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';
import { ERROR_CODES, type ErrorCode } from './generated.ts';
import { ownErrorCodes } from './own-error-codes.ts';

/** Whether a string is one of the contract's error codes. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** The row of a code that the contract or this program declares; any other code is E_UNKNOWN. */
export function codeRow(code: string): { readonly exit: number; readonly retryable: boolean } {
  return ownErrorCodes().get(code) ?? ERROR_CODES[isErrorCode(code) ? code : 'E_UNKNOWN'];
}

/** Turns any thrown value into a fault of the contract; a stack trace never leaves the process. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault && (isErrorCode(error.code) || ownErrorCodes().has(error.code))) return error;
  if (systemCode(error) === 'ABORT_ERR')
    return new Fault('E_INTERRUPTED', 'The command was interrupted.', { cause: error });
  const path = failedPath(error);
  if (path !== undefined) return faultFromSystem(error, 'use', path);
  const message = errorMessage(error);
  return new Fault('E_UNKNOWN', `Unexpected failure: ${message}`, {
    hint: 'This is a bug; report it with the command that caused it.',
    details: error instanceof Fault ? error.details : {},
    cause: error,
  });
}

/** The path of a failed file operation, such as a read that finds a folder or a loop of links instead of a file. */
function failedPath(error: unknown): string | undefined {
  const isFileError = error instanceof Error && 'syscall' in error && 'path' in error;
  return isFileError && typeof error.path === 'string' && error.syscall !== 'spawn' ? error.path : undefined;
}
