import { isPlainObject } from './json.ts';

export const REDACTED = '[REDACTED]';

/** Names whose values are secrets. Exact names only: `confirm_token`, `inputTokens` and `tokenizer` are ordinary data. */
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
  'privatetoken',
  'apitoken',
  'bearertoken',
  'sessiontoken',
  'clientsecret',
  'webhooksecret',
  'signingsecret',
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
  /** Matches, in lower case, every text that the pattern matches, and the JSON of every value with such a text. */
  readonly mark: RegExp;
  readonly pattern: RegExp;
  readonly replacement?: string;
}

/** Names before a value in free text; the least ambiguous of the names above. */
const SECRET_NAME = String.raw`password|passwd|passphrase|secret|token|(?:api|secret|private)[_-]?key|(?:access|refresh|auth|id)[_-]?token|client[_-]?secret`;

/** Suffixes of environment variables that contain a secret: `GITHUB_TOKEN`, `DB_PASSWORD`. */
const SECRET_ENDING = '_(?:TOKEN|PASSWORD|SECRET|API_KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY)';
const SECRET_VARIABLE = `[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*${SECRET_ENDING}`;
const ENDS_LIKE_SECRET = new RegExp(`${SECRET_ENDING}$`, 'u');

/** Formats of secrets in free text; anchored at the start and long enough not to match `task-1`. */
const SECRET_SHAPES: readonly SecretShape[] = [
  {
    mark: /-----begin /u,
    pattern: /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(?:-----END \1-----|$)/gu,
  },
  {
    mark: /bearer/u,
    pattern: /\b(Bearer)\s+[A-Za-z0-9._~+/=-]{12,}/giu,
    replacement: `$1 ${REDACTED}`,
  },
  {
    // Encoded credentials mix cases or contain digits; "basic configuration" does not.
    mark: /basic/u,
    pattern: /\b([Bb]asic|BASIC)\s+(?=[A-Za-z+/]*(?:[a-z][A-Z]|[0-9=]))[A-Za-z0-9+/=_-]{12,}/gu,
    replacement: `$1 ${REDACTED}`,
  },
  {
    mark: /authorization|cookie|api-key/u,
    pattern:
      /\b((?:proxy-)?authorization|(?:set-)?cookie|x-api-key)(["']?\s?[:=]\s?["']?)(?!(?:\w+ )?\[REDACTED\])[^\s"'][^\r\n"']*/giu,
    replacement: `$1$2${REDACTED}`,
  },
  {
    // `--token=…`, `?api_key=…`, `password=…`; not `confirm_token=…` or `page-token=…`.
    mark: /password=|passwd=|passphrase=|secret=|token=|key=/u,
    pattern: new RegExp(
      String.raw`(?<![A-Za-z0-9_]|[A-Za-z0-9]-)(${SECRET_NAME})=(?![<[$])[^\s&;,"'\x60]{4,}`,
      'giu',
    ),
    replacement: `$1=${REDACTED}`,
  },
  {
    // The same in a piece of JSON.
    mark: /(?:password|passwd|passphrase|secret|token|key)\\?"[^",:]*:[^",]*"/u,
    pattern: new RegExp(String.raw`"(${SECRET_NAME})"(\s*:\s*)"(?!\[REDACTED\]")(?:[^"\\]|\\.)+"`, 'giu'),
    replacement: `"$1"$2"${REDACTED}"`,
  },
  {
    mark: /_token=|_password=|_secret=|_key=/u,
    pattern: new RegExp(String.raw`(?<![A-Za-z0-9_])(${SECRET_VARIABLE})=(?![<[$])[^\s&;,"'\x60]{4,}`, 'gu'),
    replacement: `$1=${REDACTED}`,
  },
  {
    mark: /eyj/u,
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/gu,
  },
  {
    mark: /ghp_|gho_|ghu_|ghs_|ghr_/u,
    pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{20,}/gu,
  },
  { mark: /github_pat_/u, pattern: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,}/gu },
  { mark: /glpat-/u, pattern: /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,}/gu },
  { mark: /npm_/u, pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36,}/gu },
  { mark: /xox/u, pattern: /(?<![A-Za-z0-9])xox[abeprs]-[A-Za-z0-9-]{10,}/gu },
  { mark: /sk-/u, pattern: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{16,}/gu },
  { mark: /k_live_|k_test_/u, pattern: /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/gu },
  { mark: /akia|asia/u, pattern: /(?<![A-Za-z0-9])A(?:KI|SI)A[0-9A-Z]{16}(?![A-Za-z0-9])/gu },
  { mark: /aiza/u, pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/gu },
  {
    // A password may contain an @; the last one before the host is the separator.
    mark: /:\/\/[^/]*@/u,
    pattern: /\b([a-z][a-z0-9+.-]{0,31}:\/\/[^\s:/@]{0,255}):[^\s/]{1,255}@/giu,
    replacement: `$1:${REDACTED}@`,
  },
];

const ANY_MARK = new RegExp(SECRET_SHAPES.map(({ mark }) => mark.source).join('|'), 'u');
/** Members with a secret's name in JSON. Whether a variable is set, as true or false, is not a secret. */
const SECRET_MEMBER = new RegExp(`"(?:${[...SECRET_KEYS].join('|')})":`, 'u');
const SECRET_VARIABLE_MEMBER = new RegExp(`${SECRET_ENDING}":[^tf]`, 'u');

/** Whether a field or flag of this name contains a secret. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEYS.has(plainName(key)) || (key === key.toUpperCase() && ENDS_LIKE_SECRET.test(key));
}

/** Masks secrets in a text by their format. */
export function redactText(text: string): string {
  const lower = text.toLowerCase();
  if (!ANY_MARK.test(lower)) return text;
  return SECRET_SHAPES.filter(({ mark }) => mark.test(lower)).reduce(
    (masked, { pattern, replacement = REDACTED }) => masked.replace(pattern, replacement),
    text,
  );
}

/** Masks secrets by name and by format, at any depth. The input is not modified; it is returned when it contains no secret. */
export function redact<T>(value: T): T {
  const json = toJson(value);
  const isClean =
    json !== undefined &&
    !ANY_MARK.test(json.toLowerCase()) &&
    !SECRET_MEMBER.test(plainName(json)) &&
    !SECRET_VARIABLE_MEMBER.test(json);
  return isClean ? value : (mask(value, isSecretKey) as T);
}

/** Masks secrets by format only: for descriptions with fields named "token" that contain none. */
export function redactShapes<T>(value: T): T {
  const json = toJson(value);
  const isClean = json !== undefined && !ANY_MARK.test(json.toLowerCase());
  return isClean ? value : (mask(value, () => false) as T);
}

/** Serializes a value for a quick check: most values contain nothing to mask. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Names are compared without case, dashes and underscores. */
function plainName(key: string): string {
  return key.toLowerCase().replaceAll('-', '').replaceAll('_', '');
}

function mask(value: unknown, isSecret: (key: string) => boolean, secret = false): unknown {
  if (typeof value === 'string') return secret && value !== '' ? REDACTED : redactText(value);
  if (typeof value === 'number') return secret ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item) => mask(item, isSecret, secret));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      redactText(key),
      mask(member, isSecret, secret || isSecret(key)),
    ]),
  );
}
