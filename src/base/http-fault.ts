import { Fault } from './fault.ts';
import { systemCode } from './system-fault.ts';

/** Statuses with a code of their own; the rest follow their class. */
const STATUS_CODES: Readonly<Record<number, string>> = {
  401: 'E_AUTH',
  403: 'E_FORBIDDEN',
  404: 'E_NOT_FOUND',
  407: 'E_AUTH',
  408: 'E_TIMEOUT',
  409: 'E_CONFLICT',
  410: 'E_NOT_FOUND',
  412: 'E_CONFLICT',
  429: 'E_RATE_LIMITED',
  451: 'E_FORBIDDEN',
};

const TIMEOUTS: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'ESOCKETTIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'TimeoutError',
]);

/** Failures of the server's certificate: trying again does not help, and the hint must not suggest switching checks off. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ERR_TLS/u;

/** Turns the status of an upstream reply into a fault; the only place where a status becomes a code. */
export function faultFromStatus(status: number, url: string, retryAfterMs?: number): Fault {
  return new Fault(codeOfStatus(status), `${shownUrl(url)} answered with status ${status}.`, {
    details: { status, url: shownUrl(url), retry_after_ms: retryAfterMs },
  });
}

/** Turns a request that got no reply into a fault. */
export function faultFromNetwork(error: unknown, url: string): Fault {
  if (error instanceof Fault) return error;
  const reason = networkReason(error);
  const details = { url: shownUrl(url), reason };
  if (TIMEOUTS.has(reason)) {
    return new Fault('E_TIMEOUT', `${shownUrl(url)} did not answer in time.`, { details, cause: error });
  }
  if (CERTIFICATE.test(reason)) {
    return new Fault('E_CONFIG', `The certificate of ${shownUrl(url)} is not trusted (${reason}).`, {
      hint: 'Check the clock, the proxy and the certificate authorities of this machine.',
      details,
      cause: error,
    });
  }
  return new Fault('E_NETWORK', `${shownUrl(url)} could not be reached (${reason}).`, {
    hint: 'Check the connection and the proxy settings, then run the command again.',
    details,
    cause: error,
  });
}

/** Reads a `Retry-After` header, in seconds or as a date, as milliseconds from now; nothing when it is neither. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/u.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function codeOfStatus(status: number): string {
  const known = STATUS_CODES[status];
  if (known !== undefined) return known;
  if (status >= 500 && status < 600) return 'E_SERVER';
  return status >= 400 && status < 500 ? 'E_VALIDATION' : 'E_UNKNOWN';
}

/** Finds the system's code in an error or in what caused it; `fetch` hides it two levels deep. */
function networkReason(error: unknown): string {
  let name = 'unknown';
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 5; depth += 1) {
    const code = systemCode(current);
    if (code !== undefined && code !== '') return code;
    if (current.name === 'TimeoutError') name = current.name;
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return name;
}

/** Shows an address without what may be secret in it: user, password and query. */
function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}
