import { isBracedPassword, isGenerated, isUnusual, type ContextPattern } from '../context-pattern.ts';

/** Configuration files whose lines are not assignments. */
export const configFilePatterns = (): readonly ContextPattern[] => [
  {
    kind: 'password',
    substrings: 'login',
    pattern: () => /\blogin\s+\S{1,100}\s+password\s+(?<value>\S{3,})/dgu,
    accepts: isUnusual,
  },
  {
    kind: 'password',
    substrings: ':',
    pattern: () =>
      /^[ \t]*[\w.*-]{1,255}:(?:[0-9]{2,5}|\*):[^\s:]{1,100}:[^\s:]{1,100}:(?<value>[^\s:]{6,})$/dgmu,
    accepts: isGenerated,
  },
  {
    // Forms in several parts.
    kind: 'secret',
    substrings: 'form-data',
    pattern: () =>
      /\bname=\\?"(?<name>[\w.[\]-]{1,99})\\?"(?:(?:\r?\n|(?:\\r)?\\n)[A-Za-z-]{1,40}:[^\r\n\\]{0,200}){0,3}(?:\r?\n|(?:\\r)?\\n){2}(?<value>[^\r\n\\]{4,1000})/dgu,
    accepts: isUnusual,
  },
  {
    // Network devices: a digit for the encoding of the password comes first.
    kind: 'password',
    substrings: 'password secret key',
    pattern: () =>
      /\b(?:password|secret|key|key-string|md5)\s{1,4}(?:[05-9]|encrypted)\s{1,4}["']?(?<value>[^\s"']{6,255})["']?(?=[ \t]{0,20}(?:\r?\n|$))/dgu,
    accepts: isGenerated,
  },
  {
    kind: 'password',
    substrings: 'community',
    pattern: () => /\bsnmp-server\s{1,4}community\s{1,4}(?<value>(?!(?:public|private)\s)\S{3,128})/dgu,
    accepts: isUnusual,
  },
  {
    // Bundler keeps the user and the password of a gem server under the name of its host.
    kind: 'credentials',
    substrings: 'bundle_',
    pattern: () =>
      /\bBUNDLE_[A-Z0-9_]{3,100}["']?\s{0,4}[:=]\s{0,4}["']?(?<value>[\w.-]{1,100}:[^\s"'/:]{6,200})/dgu,
    accepts: isGenerated,
  },
  {
    // ODBC puts a value with special characters in braces. A name in braces is a variable.
    kind: 'password',
    substrings: 'pwd password',
    pattern: () =>
      /\b(?:PWD|Password)\s?=\s?\{(?<value>(?:[^{}\n"]|\}\}){4,128})\}(?=\s{0,4}(?:[;"'`\\]|\r?\n|$))/dgiu,
    accepts: isBracedPassword,
  },
  {
    kind: 'secret',
    substrings: 'default',
    pattern: () =>
      /\bvariable\s+"(?<name>\w{1,99})"\s*\{[^{}]{0,500}?\bdefault\s*=\s*"(?<value>[^"\n]{4,1000})"/dgu,
    accepts: isUnusual,
  },
];
