import { ownMember } from '../../../base/own-member.ts';
import { errorMessage } from '../../../base/error-message.ts';
import { Fault } from '../../../base/fault.ts';
import { systemCode } from '../../../base/system-fault.ts';

interface FaultInfo {
  readonly code: string;
  readonly reason: string;
  readonly problem: string;
  readonly hint: string;
}

const RETRY = 'Retry with the same request id; a write that was stored is not repeated.';
const REACH = `Check that the server runs and that this machine reaches it. ${RETRY}`;

const PERMISSION: FaultInfo = {
  code: 'E_FORBIDDEN',
  reason: 'permission',
  problem: 'does not allow this to its user',
  hint: 'Grant the user a role of share/deploy/postgres/roles.sql. Only the owner can create or migrate a store.',
};

/** Faults by SQLSTATE, or its first two characters. The messages of Postgres may quote data, so they are only the cause. */
const FAULTS: Readonly<Record<string, FaultInfo>> = {
  '08': unreachable('closed the connection'),
  '22021': {
    code: 'E_VALIDATION',
    reason: 'not-text',
    problem: 'cannot store a text with a NUL character',
    hint: 'Remove the character U+0000 from the text.',
  },
  '23': {
    code: 'E_VALIDATION',
    reason: 'constraint',
    problem: 'rejected a row that violates a constraint of its schema',
    hint: 'Check the values of the write; for an import, check the imported file.',
  },
  '25006': {
    code: 'E_FORBIDDEN',
    reason: 'read-only',
    problem: 'is read-only',
    hint: 'Connect to the primary server, not to a replica.',
  },
  '25P03': unreachable('ended a transaction that paused too long'),
  '28': {
    code: 'E_AUTH',
    reason: 'authentication',
    problem: 'rejected the user or the password',
    hint: 'Check the user in the URL of the store, and DEED_STORE_PASSWORD or its password_file.',
  },
  '3D000': {
    code: 'E_CONFIG',
    reason: 'no-database',
    problem: 'does not exist',
    hint: 'Create it on the server with "createdb", or correct the URL.',
  },
  '40': {
    code: 'E_TIMEOUT',
    reason: 'conflicts',
    problem: 'is changed by too many writers at the same time',
    hint: RETRY,
  },
  '42501': PERMISSION,
  '53': {
    code: 'E_SERVER',
    reason: 'resources',
    problem: 'has no free connection or memory',
    hint: RETRY,
  },
  '53100': {
    code: 'E_IO',
    reason: 'disk-full',
    problem: 'cannot be extended: the disk of the server is full',
    hint: 'Free some disk space on the server, then retry with the same request id.',
  },
  '54': {
    code: 'E_VALIDATION',
    reason: 'too-big',
    problem: 'cannot store a value of this size',
    hint: 'Send a smaller value.',
  },
  '55P03': {
    code: 'E_TIMEOUT',
    reason: 'locked',
    problem: 'is locked by another process',
    hint: 'Retry with the same request id. VYBE_BUSY_TIMEOUT_MS sets how long to wait.',
  },
  '57': unreachable('is starting, stopping or was interrupted'),
  '58': {
    code: 'E_IO',
    reason: 'input-output',
    problem: 'cannot be read or written by its server',
    hint: 'Check the disk of the server, then retry with the same request id.',
  },
  XX001: damaged(),
  XX002: damaged(),
};

/** Errors of the network before or during a connection. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'does not accept connections',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
  ENOENT: 'has no socket at this path',
  ETIMEDOUT: 'does not respond',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ENOTFOUND: 'has a host name that cannot be resolved',
  EAI_AGAIN: 'has a host name that cannot be resolved',
};

/** Converts an error of Postgres or of the connection to a fault that names the store; returns other errors unchanged. */
export function postgresFault(error: unknown, url: string): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error;
  const state = sqlStateOf(error);
  const info =
    state === undefined
      ? connectionFault(error)
      : (ownMember(FAULTS, state) ?? ownMember(FAULTS, state.slice(0, 2)));
  const details = { path: url, ...(state !== undefined && { sqlstate: state }) };
  if (info !== undefined)
    return new Fault(info.code, `The database ${url} ${info.problem}.`, {
      hint: info.hint,
      details: { ...details, reason: info.reason },
      cause: error,
    });
  if (state === undefined) return error;
  return new Fault('E_UNKNOWN', `The database ${url} rejected a statement (SQLSTATE ${state}).`, {
    details,
    cause: error,
  });
}

/** The fault for a user without any right to the store. */
export function withoutPermission(url: string, cause: unknown): Fault {
  const { code, problem, hint, reason } = PERMISSION;
  return new Fault(code, `The database ${url} ${problem}.`, { hint, details: { path: url, reason }, cause });
}

/** The five characters by which Postgres names an error; undefined for other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = systemCode(error);
  return code !== undefined && /^[0-9A-Z]{5}$/u.test(code) && 'severity' in (error as object)
    ? code
    : undefined;
}

/** Whether the connection is gone, or could not be made, so that another attempt can succeed soon. */
export function isDisconnected(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== undefined) return /^(?:08|57P0|53300|25P03)/u.test(state);
  const code = systemCode(error);
  return code === 'ENOTFOUND' || !(error instanceof Error)
    ? false
    : (code !== undefined && Object.hasOwn(NETWORK, code)) || isDriverDisconnect(error);
}

/** Whether a transaction failed because of another writer and can be retried: a serialization failure, a deadlock or a duplicate key. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01', '23505'].includes(sqlStateOf(error) ?? '');
}

/** Whether the schema or its functions do not exist. */
export function isMissingStore(error: unknown): boolean {
  return ['3F000', '42883', '42P01'].includes(sqlStateOf(error) ?? '');
}

function connectionFault(error: Error): FaultInfo | undefined {
  const code = systemCode(error) ?? '';
  if (code.startsWith('ERR_TLS') || code.includes('CERT') || /SSL|certificate/u.test(error.message))
    return {
      code: 'E_CONFIG',
      reason: 'certificate',
      problem: `has no certificate that can be verified (${code || errorMessage(error)})`,
      hint: 'Check that the server uses TLS and that its certificate is for this host name; name a private authority with ?sslrootcert=<file>.',
    };
  // The driver's own error if the server asks for a password and there is none.
  if (error.message.startsWith('SASL')) return FAULTS['28'];
  const problem = ownMember(NETWORK, code);
  if (problem !== undefined) return unreachable(problem);
  return isDriverDisconnect(error) ? unreachable('closed the connection or does not respond') : undefined;
}

/** The driver reports a closed connection, and one that could not be made in time, without a code. */
function isDriverDisconnect({ message }: Error): boolean {
  return /^(?:Connection terminated|timeout exceeded|Client has encountered a connection error|timeout expired|Query read timeout)/u.test(
    message,
  );
}

function unreachable(problem: string): FaultInfo {
  return { code: 'E_NETWORK', reason: 'unreachable', problem, hint: REACH };
}

function damaged(): FaultInfo {
  return {
    code: 'E_DAMAGED',
    reason: 'damaged',
    problem: 'is damaged',
    hint: 'Restore the database on its server from a backup.',
  };
}
