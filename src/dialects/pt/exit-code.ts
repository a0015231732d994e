import { ownMember } from '../../base/own-member.ts';
import type { Fault } from '../../base/fault.ts';

/** The error code, exit code and recoverability of a fault in the contract. */
export interface ContractError {
  readonly code: string;
  readonly exit: number;
  readonly recoverable: boolean;
}

const ERRORS: Readonly<Record<string, ContractError>> = {
  E_USAGE: { code: 'INVALID_ARGUMENT', exit: 2, recoverable: true },
  E_VALIDATION: { code: 'INVALID_ARGUMENT', exit: 2, recoverable: true },
  E_SESSION_EXPIRED: { code: 'SESSION_EXPIRED', exit: 3, recoverable: false },
  E_FORBIDDEN: { code: 'PERMISSION_DENIED', exit: 4, recoverable: true },
  E_PROTECTED: { code: 'PROTECTED_PROCESS', exit: 4, recoverable: false },
  E_GATE_FAILED: { code: 'GATE_FAILED', exit: 5, recoverable: true },
  // A modified session document and a session in use by another process count as failed gates.
  E_DAMAGED: { code: 'GATE_FAILED', exit: 5, recoverable: true },
  E_CONFLICT: { code: 'GATE_FAILED', exit: 5, recoverable: true },
  E_BUDGET_EXHAUSTED: { code: 'BUDGET_EXHAUSTED', exit: 5, recoverable: true },
  E_TIMEOUT: { code: 'TIMEOUT', exit: 6, recoverable: true },
  E_INTERRUPTED: { code: 'INTERRUPTED', exit: 6, recoverable: true },
  E_IDENTITY_MISMATCH: { code: 'IDENTITY_MISMATCH', exit: 7, recoverable: true },
};

const UNEXPECTED: ContractError = { code: 'INTERNAL_ERROR', exit: 10, recoverable: false };

/** Maps a fault to the contract. */
export function contractError({ code, details }: Fault): ContractError {
  if (code === 'E_NOT_FOUND') {
    const what = details.resource === 'process' ? 'PROCESS_NOT_FOUND' : 'SESSION_NOT_FOUND';
    return { code: what, exit: 3, recoverable: false };
  }
  return ownMember(ERRORS, code) ?? UNEXPECTED;
}
