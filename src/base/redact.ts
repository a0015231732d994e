import { isPlainObject } from './json.ts';

export const REDACTED = '[REDACTED]';

/**
 * Names whose values are secrets, compared without case, dashes and underscores. Exact names only:
 * `confirm_token`, `inputTokens` and `tokenizer` are ordinary data.
 */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  'password',
  'passwd',
  'passphrase',
  'secret',
  'token',
  'apikey',
  'xapikey',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'authtoken',
  'bearertoken',
  'sessiontoken',
  'clientsecret',
  'secretkey',
  'secretaccesskey',
  'awssecretaccesskey',
  'privatekey',
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'credential',
]);

interface SecretShape {
  /** The pattern cannot match a text without one of these, in lower case; looking for them first costs next to nothing. */
  readonly marks: readonly string[];
  readonly pattern: RegExp;
  readonly replacement?: string;
}

/** Shapes of secrets in running text; anchored on both sides and long enough that `task-1` stays. */
const SECRET_SHAPES: readonly SecretShape[] = [
  { marks: ['-----begin '], pattern: /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(?:-----END \1-----|$)/gu },
  {
    marks: ['bearer', 'basic'],
    pattern: /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{12,}/giu,
    replacement: `$1 ${REDACTED}`,
  },
  { marks: ['gh'], pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{20,255}/gu },
  { marks: ['github_pat_'], pattern: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,255}/gu },
  { marks: ['glpat-'], pattern: /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,255}/gu },
  { marks: ['xox'], pattern: /(?<![A-Za-z0-9])xox[abprs]-[A-Za-z0-9-]{10,255}/gu },
  { marks: ['sk-'], pattern: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{16,255}/gu },
  { marks: ['akia', 'asia'], pattern: /(?<![A-Za-z0-9])A(?:KI|SI)A[0-9A-Z]{16}(?![A-Za-z0-9])/gu },
  { marks: ['aiza'], pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/gu },
  {
    marks: ['://'],
    pattern: /\b([a-z][a-z0-9+.-]{0,31}:\/\/[^\s:/@]{0,255}):[^\s/@]{1,255}@/giu,
    replacement: `$1:${REDACTED}@`,
  },
];

const ANY_MARK = new RegExp(SECRET_SHAPES.flatMap(({ marks }) => marks).join('|'), 'iu');

/** Tells whether a field or flag of this name holds a secret. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEYS.has(key.toLowerCase().replaceAll(/[-_]/gu, ''));
}

/** Masks secrets by their shape inside a text. */
export function redactText(text: string): string {
  if (!ANY_MARK.test(text)) return text;
  const lower = text.toLowerCase();
  let result = text;
  for (const { marks, pattern, replacement } of SECRET_SHAPES) {
    if (marks.some((mark) => lower.includes(mark))) result = result.replace(pattern, replacement ?? REDACTED);
  }
  return result;
}

/** Masks secrets by name and by shape, however deep, and returns a copy; the input is left as it was. */
export function redact<T>(value: T): T {
  return redactValue(value, false) as T;
}

/** Masks secrets by shape alone: for descriptions whose field names say "token" without holding one. */
export function redactShapes<T>(value: T): T {
  return redactValue(value, false, () => false) as T;
}

function redactValue(value: unknown, secret: boolean, isSecret = isSecretKey): unknown {
  if (typeof value === 'string') return secret && value !== '' ? REDACTED : redactText(value);
  if (typeof value === 'number') return secret ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, secret, isSecret));
  if (!isPlainObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    Object.defineProperty(result, redactText(key), {
      value: redactValue(member, secret || isSecret(key), isSecret),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}
