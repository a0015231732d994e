import { isSecretName } from './secret-name.ts';
import { isOrdinaryValue, isPlaceholder, looksGenerated } from './ordinary-value.ts';

/** A way to recognise a secret in running text by what is around it. */
export interface ContextPattern {
  readonly kind: string;
  /** Lower-case substrings, separated by spaces. Every text that the pattern matches contains one of them, so most texts need only this test. */
  readonly substrings: string;
  /** Created when a text needs it. The group `value` is the secret. With a group `name`, that must be the name of a secret. */
  readonly pattern: () => RegExp;
  readonly accepts: (value: string) => boolean;
}

export const isFilled = (value: string): boolean => !isPlaceholder(value);
export const isUnusual = (value: string): boolean => !isOrdinaryValue(value);
export const isGenerated = (value: string): boolean =>
  looksGenerated(value) && !isOrdinaryValue(value) && !isConstantName(value);
const isConstantName = (value: string): boolean => /^[A-Z]+(?:_[A-Z]+)+$/u.test(value);
/** Names and numbers are short or consist of words and years; a generated value is long, and little of it could be a word. */
export const isRandom = (value: string): boolean => {
  const words =
    /(?<![A-Za-z0-9])(?:[A-Z]?[a-z]+|[A-Z]+)(?![A-Za-z0-9])|[A-Z][a-z]{3,}|[a-z]{4,}|[A-Z]{6,}|(?<![0-9])20[0-9]{2}(?![0-9])/gu;
  const count = (text: string): number => text.replaceAll(/[^A-Za-z0-9]/gu, '').length;
  const share = count(value.replaceAll(words, '')) / Math.max(1, count(value));
  const isMixed = /[0-9]/u.test(value) && /[A-Za-z]/u.test(value);
  const isMixedCase = /[a-z][A-Z]+[a-z]/u.test(value);
  return (
    value.length >= 16 &&
    ((isMixed && share >= 0.4) || (isMixedCase && share >= 0.6)) &&
    !isOrdinaryValue(value)
  );
};
/** Encoded credentials mix cases or contain digits; "basic configuration" and "Bearer expires_in=3600" do not. */
export const isEncoded = (value: string): boolean =>
  /[0-9=]|[a-z][A-Z]/u.test(value) && !/^[\w-]+\.(?:md|html?|ts|js)$|=[^=]/u.test(value);
/** A word after "the password is" counts as a password only if it is not an ordinary name or version. */
export const isStrong = (value: string): boolean =>
  value.length >= 10 &&
  /[0-9]/u.test(value) &&
  /[A-Za-z]/u.test(value) &&
  !/[/\\()]|^v?[0-9.]+$|\.\w{1,4}$|^[\w-]+:/u.test(value);
/** In a format string, braces contain a variable or an expression. */
export const isBracedPassword = (value: string): boolean =>
  isGenerated(value) && !isSecretName(value) && !/^[a-z_]\w*(?:[.[(]|$)|^[0-9]*:/u.test(value);
export const isCookie = (value: string): boolean =>
  isFilled(value.slice(value.indexOf('=') + 1)) && !value.split(';').every(isCookieAttribute);
const isCookieAttribute = (part: string): boolean =>
  /^\s*(?:(?:samesite|path|domain|max-age|expires|httponly|secure|priority)\b|$)/iu.test(part);
