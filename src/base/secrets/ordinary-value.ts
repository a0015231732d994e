/**
 * Decides by its value whether something with a secret's name is a secret after all. `token=undefined`, `password: required` and
 * `Authorization: Bearer <token>` name a secret without containing one.
 */
import { lazy } from '../lazy.ts';
import { ordinaryWords } from './ordinary-words.ts';

/** Stands where a secret was or will be: `<token>`, `${TOKEN}`, `$TOKEN`, `%TOKEN%`, `{{ token }}`, `****`, `xxxx`, `[REDACTED]`, `…`, `changeme`. */
const placeholder = lazy(
  () =>
    /^(?:<[^<>]*>?|\[[^[\]]*\]?|\{.*|\$.*|%\w*%|@\w+@|[*•.…xX_#-]{3,}|…|\(.*|(?:your|my|the|some|example|dummy|fake|sample|insert|enter|change|replace)(?:[-_].*| \S*(?: \S*){0,2})|.*(?:-|_)(?:here|goes-here|placeholder)|redacted|masked|hidden|changeme|changeit|replaceme|example|placeholder)$/iu,
);

/** References to a value somewhere else: `process.env.TOKEN`, `getToken()`, `req.headers.token`, `tokens[0]`, `Promise<string>`. */
const code = lazy(() => /[()[\]{}<>]|^[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+;?$|^(?:!|&&|\|\||\?|=)/u);
const path = lazy(() => /^(?:~|\.{0,2})\/[\w./-]*$|^[A-Z]:\\/u);

/** With the quotes and punctuation around it. */
const MAX_ORDINARY_WORD = 40;

/** Tells whether a value is a placeholder for a secret. */
export function isPlaceholder(value: string): boolean {
  return value.trim() === '' || placeholder().test(value.trim());
}

/** Tells whether a value under a secret's name is an ordinary word, a sentence or a placeholder. */
export function isOrdinaryValue(value: string): boolean {
  if (isPlaceholder(value)) return true;
  const hasSpaces = /\s/u.test(value.trim());
  if (!hasSpaces && value.length > MAX_ORDINARY_WORD) return !/[\p{L}\p{N}]/u.test(value);
  const words = value.toLowerCase().match(/[\p{L}\p{N}'_-]+/gu) ?? [];
  if (words.length === 0) return true;
  if (words.length === 1) return ordinaryWords().has(words[0] ?? '');
  return hasSpaces && isSentence(words);
}

/** A sentence mentions what it is about, or consists of many words that all sentences have; a passphrase has at most a few of them. */
function isSentence(words: readonly string[]): boolean {
  const ordinary = words.filter((word) => ordinaryWords().has(word)).length;
  return ordinary * 3 >= words.length || words.some((word) => isSubject(word));
}

const isSubject = (word: string): boolean =>
  /^(?:redacted|pass(?:words?|phrases?|codes?|wort|e)|secrets?|tokens?|keys?|kennwort|contraseña|senha|wachtwoord|hasło|lösenord|passord|adgangskode|salasana|heslo|jelszó|şifre|lozinka|парол\p{L}*)$/u.test(
    word,
  );

/** Tells whether an unquoted value is a reference in code, or a path, rather than a text. */
export function isReference(value: string): boolean {
  return code().test(value) || path().test(value);
}

/** Tells whether a value is an identifier that was generated: hexadecimal digits, perhaps as a UUID. */
export function isGeneratedIdentifier(value: string): boolean {
  return /^[0-9a-f-]{32,}$/iu.test(value);
}

/** Tells whether a value is one word that looks generated: under the name of an action, anything else is a text for users. */
export function isGeneratedWord(value: string): boolean {
  return !/\s/u.test(value.trim()) && looksGenerated(value) && !path().test(value) && !isOrdinaryValue(value);
}

/** Tells whether a value can only have been generated or made up: it mixes letters with digits, symbols or cases. */
export function looksGenerated(value: string): boolean {
  const isMixed =
    /[0-9]/u.test(value) || /[^\p{L}\p{N}.,:;!?'"-]/u.test(value) || /[a-z][A-Z].*[a-z][A-Z]/u.test(value);
  return value.length >= 6 && isMixed;
}

/** Tells whether a value maps a port: containers are started with `-p3306:3306`. */
export function isPortMapping(value: string): boolean {
  return /^(?:[0-9.]+:)?[0-9-]+:[0-9-]+(?:\/[a-z]+)?$/u.test(value);
}
