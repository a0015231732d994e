import { Fault } from '../../base/fault.ts';
import { faultFromNetwork } from '../../base/http-fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { REDACTED, redactText } from '../../base/secrets/redact.ts';
import { excerpt } from '../../base/text.ts';
import type { LlmFailure, LlmFailureClass } from '../llm-port.ts';
import { IncompleteResponseError } from './collect-response.ts';
import { NotStreamedError } from './not-streamed-error.ts';
import { readRetryHints } from './retry-hints.ts';
import { withoutAdvice } from '../without-advice.ts';

/** Error codes that mean an exhausted quota. They take precedence over the status: OpenAI reports an exhausted quota with 429. */
const QUOTA_CODES: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_error',
  'billing_hard_limit_reached',
  'billing_not_active',
  'insufficient_credits',
  'account_deactivated',
  'payment_required',
  'budget_exceeded',
  'organization_usage_limit_exceeded',
]);
/** Limits on spending, which gateways name in many ways: `project_spend_limit_exceeded`, `credit_balance_exhausted`. */
const SPENDING_CODE =
  /(?:^|_)(?:spend|spending|billing|credits?|balance)_(?:\w*_)?(?:limit|exceeded|reached|exhausted|depleted|insufficient|disabled|inactive|low)(?:_|$)/iu;
const CODES: ReadonlyMap<string, LlmFailureClass> = new Map(
  Object.entries({
    authentication_error: 'auth',
    permission_error: 'auth',
    invalid_api_key: 'auth',
    API_KEY_INVALID: 'auth',
    UNAUTHENTICATED: 'auth',
    PERMISSION_DENIED: 'auth',
    rate_limit_error: 'rate_limit',
    rate_limit_exceeded: 'rate_limit',
    RESOURCE_EXHAUSTED: 'rate_limit',
    timeout_error: 'timeout',
    DEADLINE_EXCEEDED: 'timeout',
    overloaded_error: 'network',
    api_error: 'network',
    server_error: 'network',
    UNAVAILABLE: 'network',
    INTERNAL: 'network',
    invalid_request_error: 'model_error',
    not_found_error: 'model_error',
    INVALID_ARGUMENT: 'model_error',
  }),
);

/** Classifies a provider error by its codes and status, never by its message text. Masks known secrets in the message. */
export function classifyFailure(
  error: unknown,
  options: { readonly signal: AbortSignal; readonly nowMs: number; readonly secrets: readonly string[] },
): LlmFailure {
  const info = readError(error);
  const failureClass = options.signal.aborted ? 'aborted' : classifyError(error, info);
  const retryAfterMs =
    failureClass === 'rate_limit' ? readRetryHints(info.headers, info.body, options.nowMs) : undefined;
  return {
    ok: false,
    class: failureClass,
    ...(info.status !== undefined && { status: info.status }),
    ...(info.url !== undefined && { url: info.url }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    message: maskSecrets(info.message, options.secrets),
  };
}

interface ErrorInfo {
  readonly message: string;
  readonly status: number | undefined;
  readonly url: string | undefined;
  readonly codes: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

function classifyError(error: unknown, { status, codes }: ErrorInfo): LlmFailureClass {
  if (status === 402 || codes.some((code) => QUOTA_CODES.has(code) || SPENDING_CODE.test(code)))
    return 'quota';
  // Google rejects an invalid key with status 400; only the reason identifies it.
  if (codes.includes('API_KEY_INVALID')) return 'auth';
  if (status !== undefined && status >= 400) return classifyStatus(status);
  const known = codes.map((code) => CODES.get(code)).find((found) => found !== undefined);
  if (known !== undefined) return known;
  if (error instanceof IncompleteResponseError) return 'network';
  // A success status with an invalid body is a model error, unless the connection failed while reading it.
  const cause = status === undefined ? error : (error as Error).cause;
  if (isInvalidResponse(cause)) return 'model_error';
  return faultFromNetwork(cause, '').code === 'E_TIMEOUT' ? 'timeout' : 'network';
}

/** Returns whether the SDK failed to parse the response; its parse errors are named `AI_*`. */
function isInvalidResponse(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof NotStreamedError) return true;
  return error.name.startsWith('AI_') && error.name !== 'AI_APICallError';
}

function classifyStatus(status: number): LlmFailureClass {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limit';
  if (status === 408) return 'timeout';
  return status >= 500 ? 'network' : 'model_error';
}

/** Reads an error thrown by an SDK or sent in a stream. Both use the same member names, but not the same class. */
function readError(error: unknown): ErrorInfo {
  const thrown = (typeof error === 'object' && error !== null ? error : {}) as Readonly<
    Record<string, unknown>
  >;
  const whole = thrown.data ?? parseBody(thrown.responseBody);
  // Google sends errors of streams in an array.
  const body: unknown = Array.isArray(whole) ? whole[0] : whole;
  const inner = isPlainObject(body) ? (isPlainObject(body.error) ? body.error : body) : {};
  const status = [thrown.statusCode, inner.code].find((value) => typeof value === 'number');
  const details = Array.isArray(inner.details) ? (inner.details as unknown[]) : [];
  const codes = [
    thrown.code,
    thrown.type,
    inner.code,
    inner.type,
    inner.status,
    ...details.map((detail) => (isPlainObject(detail) ? detail.reason : undefined)),
  ].filter((value) => typeof value === 'string');
  return {
    message: messageOf(error, thrown, inner),
    status,
    url: addressOf(thrown.url),
    codes,
    headers: headersOf(thrown),
    body,
  };
}

function messageOf(
  error: unknown,
  thrown: Readonly<Record<string, unknown>>,
  inner: Readonly<Record<string, unknown>>,
): string {
  if (error instanceof Fault) return error.message;
  const own = [inner.message, thrown.message].find((text) => typeof text === 'string' && text !== '') as
    | string
    | undefined;
  const { cause } = thrown;
  const isRepeated = cause instanceof Error && own?.includes(cause.message) === true;
  const reason = cause instanceof Error && !isRepeated ? ` (${cause.message})` : '';
  return withoutAdvice(own === undefined ? String(error) : `${own}${reason}`);
}

/** Returns a URL without its query, which may contain a key. */
function addressOf(text: unknown): string | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  return url === null ? undefined : `${url.origin}${url.pathname}`;
}

function headersOf({ responseHeaders }: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return isPlainObject(responseHeaders) ? (responseHeaders as Record<string, string>) : {};
}

function parseBody(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of secrets) if (secret.length >= 8) masked = masked.replaceAll(secret, REDACTED);
  return redactText(excerpt(masked, 1000));
}
