import { Fault } from './fault.ts';
import { systemCode } from './system-fault.ts';

/** Statuses with a specific code; the others are mapped by class. */
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

/** Certificate errors: a retry does not help, and the hint must not suggest disabling verification. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ERR_TLS/u;

export const CERTIFICATE_HINT =
  'Check the clock and the proxy. For a certificate authority of your own, set NODE_EXTRA_CA_CERTS to the file of its certificate.';

/** Tells whether an error code of Node or npm means that a certificate is not trusted. */
export function isCertificateError(reason: string): boolean {
  return CERTIFICATE.test(reason);
}

/** Turns the status of an upstream response into a fault; the only place that maps a status to a code. */
export function faultFromStatus(status: number, url: string, retryAfterMs?: number): Fault {
  return new Fault(codeOfStatus(status), `${shownUrl(url)} returned status ${status}.`, {
    details: { status, url: shownUrl(url), retry_after_ms: retryAfterMs },
  });
}

/** Turns a request without a response into a fault. */
export function faultFromNetwork(error: unknown, url: string): Fault {
  if (error instanceof Fault) return error;
  const reason = networkReason(error);
  const details = { url: shownUrl(url), reason };
  if (TIMEOUTS.has(reason)) {
    return new Fault('E_TIMEOUT', `${shownUrl(url)} did not respond in time.`, { details, cause: error });
  }
  if (isCertificateError(reason)) {
    return new Fault('E_CONFIG', `The certificate of ${shownUrl(url)} is not trusted (${reason}).`, {
      hint: CERTIFICATE_HINT,
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

/** Parses a `Retry-After` header, seconds or a date, to milliseconds from now; undefined when it is neither. */
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

/** Finds the system error code in an error or its causes; `fetch` nests it two levels deep. */
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

/** Renders a URL without the parts that may be secret: user, password and query. */
function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}
