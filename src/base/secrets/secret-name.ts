/**
 * Decides by the name of a field, flag, variable or header whether its value is a secret. Names are compared by their words, so
 * `dbPassword`, `DB_PASSWORD` and `db-password` are the same name. The last words decide: `token_count` counts tokens, `user_token` is one.
 */

import { lazy } from '../lazy.ts';
import { wordSet } from '../word-set.ts';
import { PASSWORD_WORDS } from './other-languages.ts';

/** Endings of names that hold a secret. */
const secretEndings = wordSet(
  `password passwd passphrase passcode pwd pass secret secrets token apikey authtoken accesstoken secretkey privatekey accountkey sharedaccesskey credential credentials authorization cookie cookies jwt mnemonic pat passwort kennwort pw psk requirepass passwords passphrases passcodes apikeys creds senha contrasena
  wachtwoord haslo losenord passord adgangskode salasana heslo jelszo sifre lozinka`,
);

/** Words before `key` that make it a secret; `cache_key`, `public_key` and `primary_key` are ordinary. */
const secretKeys = wordSet(
  `access account admin aes api app application auth authentication client consumer crypto decryption deploy encryption function hmac host
  jwt license master preshared private rsa secret service session shared signing ssh storage subscription unseal webhook openai anthropic claude gemini google openrouter groq mistral cohere deepseek huggingface replicate elevenlabs
  pinecone stripe github gitlab aws azure cloudflare vercel supabase firebase sendgrid mailgun twilio slack discord datadog sentry algolia mapbox`,
);

/** Words before `KEY` in the name of an environment variable that leave it ordinary. */
const ordinaryKeys = wordSet(
  'public publishable primary foreign cache sort partition registry idempotency object hot index lookup',
);

/** Words before `token` that make it something else: a position in a list, a confirmation of ours, or a piece of a model's text. */
const ordinaryTokens = wordSet(
  `confirm page next previous continuation cursor sync resume upload start end first last stop begin bos eos pad unk sep cls mask special
  input output prompt completion cached reasoning max min total per current design syntax lexer parser`,
);

/** Words that may follow the deciding one: `DB_PASSWORD_PROD`, `token_value`, `password2`. */
const suffixes = wordSet(
  `value data pem b hex base64 plain plaintext raw old new current prod production dev staging confirmation again repeat base is ist lautet`,
);

/** First words of names whose values are mostly texts for users. */
const actions = wordSet(
  `forgot forgotten lost reset change update show hide toggle enter choose create remember invalid incorrect wrong missing empty weak
  verify save copy generate regenerate delete remove revoke rotate recover`,
);

const PHRASES: readonly string[] = [
  'seed phrase',
  'recovery phrase',
  'recovery code',
  'backup code',
  'x auth',
  'npm auth',
  'secret id',
  'unseal key',
  'de passe',
  'palavra passe',
];

/** Every name of a secret contains one of these, in lower case; most names contain none. `pat` is a personal access token, and a `path` is none. */
const NAME_PARTS =
  /pass|pwd|psk|pw|salt|kennwort|secret|token|key|cred|auth|cookie|jwt|mnemonic|pat(?!h)|phrase|code|senha|contrase|wachtwoord|haslo|losenord|heslo|salasana|jelszo|sifre|lozinka|[^\0-\x7f]/u;

/** Names in other alphabets are not split into words. */
const otherAlphabets = lazy(() => new RegExp(`(?:${PASSWORD_WORDS})$`, 'iu'));

/** Tells whether a field, flag, variable or header of this name holds a secret. */
export function isSecretName(name: string): boolean {
  if (!NAME_PARTS.test(name.toLowerCase())) return false;
  if (/[^\0-\x7f]/u.test(name) && otherAlphabets().test(name.slice(-200))) return true;
  const words = splitName(name);
  while (words.length > 1 && isSuffix(words)) words.pop();
  const [last = '', before = ''] = [words.at(-1), words.at(-2)];
  if (last === 'key' || (last === 'keys' && secretKeys().has(before))) return isSecretKey(before, name);
  if (last === 'salt') return isVariableName(name);
  if (last === 'token') return !ordinaryTokens().has(before);
  if (secretEndings().has(last) || /(?:password|passwd|passphrase|apikey|[a-z]{3}pass)$/u.test(last))
    return !/^(?:by|com|encom|tres|sur|under|over|im)pass$/u.test(last);
  const end = `${before} ${last}`;
  return PHRASES.some((phrase) => end === phrase || end === `${phrase}s`);
}

/** Tells whether an object under this name describes credentials: then each member is judged by its own name. */
export function isDescriptionName(name: string): boolean {
  return ['credential', 'credentials', 'auth', 'authorization'].includes(name.toLowerCase());
}

/**
 * Splits a name into its words, in lower case: at other characters than letters and digits, between cases, and before a number at the end.
 * Written without patterns, because nearly every call needs it, and compiling the patterns takes longer than splitting all names of an answer.
 */
function splitName(name: string): string[] {
  const words: string[] = [];
  let word = '';
  let last = '';
  for (let at = 0; at < Math.min(name.length, 200); at += 1) {
    const character = name.charAt(at);
    const kind = kindOf(character);
    const startsWord =
      (kind === 'upper' && last !== 'upper') ||
      (kind === 'upper' && kindOf(name.charAt(at + 1)) === 'lower') ||
      (kind === 'digit' && last !== 'digit');
    if (kind === 'other' || startsWord) {
      words.push(word);
      word = '';
    }
    if (kind !== 'other') word += character.toLowerCase();
    last = kind;
  }
  return [...words, word].filter((each) => each !== '');
}

function kindOf(character: string): 'lower' | 'upper' | 'digit' | 'other' {
  if (character >= 'a' && character <= 'z') return 'lower';
  if (character >= 'A' && character <= 'Z') return 'upper';
  return character >= '0' && character <= '9' ? 'digit' : 'other';
}

function isSuffix(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  if (/^v?[0-9]+$/u.test(last)) return true;
  // `key` is a suffix only of something that is secret without it: `secret_key`, not `token_cache_key`.
  if (last === 'key') return ['token', 'password'].includes(words.at(-2) ?? '');
  return suffixes().has(last);
}

function isSecretKey(before: string, name: string): boolean {
  if (secretKeys().has(before)) return true;
  const isHeader = /^[A-Z][a-z]+(?:-[A-Z][a-z]+)*-Key$/u.test(name);
  return (isVariableName(name) || isHeader) && !ordinaryKeys().has(before);
}

/** Tells whether a name is written as the name of an environment variable or a constant. */
function isVariableName(name: string): boolean {
  return name === name.toUpperCase() && name.includes('_');
}

/** Tells whether a name describes an action, such as `forgotPassword`: members with such a name hold the text of a button or a message. */
export function isActionName(name: string): boolean {
  return actions().has(splitName(name)[0] ?? '');
}

/** Tells whether a name describes an identifier, which is a secret only if its value looks generated: Vault's `secret_id` is a secret, AWS's `SecretId` is only the name of a secret. */
export function isIdentifierName(name: string): boolean {
  return name.toLowerCase().endsWith('id');
}

/** Names the kind of secret that a name stands for. */
export function kindOfName(name: string): string {
  const [kind = 'secret'] = /pass|pwd|token|secret|key|cookie|credential|authorization/iu.exec(name) ?? [];
  return /^(?:pass|pwd)$/iu.test(kind) ? 'password' : kind.toLowerCase();
}
