/**
 * Decides by the name of a field, flag, variable or header whether its value is a secret. Names are compared by their words, so
 * `dbPassword`, `DB_PASSWORD` and `db-password` are the same name. The last words decide: `token_count` counts tokens, `user_token` is one.
 */

/** A name that ends in one of these holds a secret. */
const SECRET_ENDINGS: ReadonlySet<string> = new Set([
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'pwd',
  'pass',
  'secret',
  'secrets',
  'token',
  'apikey',
  'authtoken',
  'accesstoken',
  'secretkey',
  'privatekey',
  'accountkey',
  'sharedaccesskey',
  'credential',
  'credentials',
  'authorization',
  'cookie',
  'cookies',
  'jwt',
  'mnemonic',
  'pat',
  'passwort',
  'psk',
  'requirepass',
]);

/** Words before `key` that make it a secret; `cache_key`, `public_key` and `primary_key` are ordinary. */
const SECRET_KEYS: ReadonlySet<string> = new Set(
  `access account admin api app application auth authentication client consumer crypto deploy encryption function hmac host license
  master preshared private rsa secret service session shared signing ssh storage subscription webhook`.split(
    /\s+/u,
  ),
);

/** Words before `KEY` in the name of an environment variable that leave it ordinary. */
const ORDINARY_KEYS: ReadonlySet<string> = new Set(
  'public publishable primary foreign cache sort partition registry idempotency object hot index lookup'.split(
    ' ',
  ),
);

/** Words before `token` that make it something else: a position in a list, a confirmation of ours, or a piece of a model's text. */
const ORDINARY_TOKENS: ReadonlySet<string> = new Set(
  `confirm page next previous continuation cursor sync resume upload start end first last stop begin bos eos pad unk sep cls mask special
  input output prompt completion cached reasoning max min total per current design syntax lexer parser`.split(
    /\s+/u,
  ),
);

/** Words that may follow the deciding one: `DB_PASSWORD_PROD`, `token_value`, `password2`. */
const SUFFIXES: ReadonlySet<string> = new Set(
  `value data pem b64 base64 plain plaintext raw old new current prod production dev staging confirmation again repeat base is ist lautet`.split(
    /\s+/u,
  ),
);

/** Words that end in `pass` without having to do with a password. */
const OTHER_PASSES = /^(?:by|com|encom|tres|sur|under|over|im)pass$/u;

const PHRASES: readonly string[] = [
  'seed phrase',
  'recovery phrase',
  'recovery code',
  'backup code',
  'x auth',
  'npm auth',
];

/** Tells whether a field, flag, variable or header of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const words = splitName(name);
  while (words.length > 1 && isSuffix(words)) words.pop();
  const [last = '', before = ''] = [words.at(-1), words.at(-2)];
  if (last === 'key') return isSecretKey(before, name);
  if (last === 'token') return !ORDINARY_TOKENS.has(before);
  if (SECRET_ENDINGS.has(last) || /(?:password|passwd|passphrase|apikey|[a-z]{3}pass)$/u.test(last))
    return !OTHER_PASSES.test(last);
  const end = `${before} ${last}`;
  return PHRASES.some((phrase) => end === phrase || end === `${phrase}s`);
}

/** Tells whether an object under this name describes credentials: its members have names of their own to go by. */
export function isDescriptionName(name: string): boolean {
  return /^(?:credentials?|auth|authorization)$/iu.test(name);
}

/** Splits a name into its words, in lower case. */
function splitName(name: string): string[] {
  return name
    .slice(0, 200)
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .flatMap((word) => word.split(/(?<=[a-z])(?=[0-9]+$)/u))
    .filter((word) => word !== '');
}

function isSuffix(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  if (/^v?[0-9]+$/u.test(last)) return true;
  // `key` is a suffix only of something that is secret without it: `secret_key`, not `token_cache_key`.
  if (last === 'key') return ['token', 'password'].includes(words.at(-2) ?? '');
  return SUFFIXES.has(last);
}

function isSecretKey(before: string, name: string): boolean {
  if (SECRET_KEYS.has(before)) return true;
  const isVariable = name === name.toUpperCase() && name.includes('_');
  const isHeader = /^[A-Z][a-z]+(?:-[A-Z][a-z]+)*-Key$/u.test(name);
  return (isVariable || isHeader) && !ORDINARY_KEYS.has(before);
}

/** Names the kind of secret that a name stands for. */
export function kindOfName(name: string): string {
  const [kind = 'secret'] = /pass|pwd|token|secret|key|cookie|credential|authorization/iu.exec(name) ?? [];
  return /^(?:pass|pwd)$/iu.test(kind) ? 'password' : kind.toLowerCase();
}
