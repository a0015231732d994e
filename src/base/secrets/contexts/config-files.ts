import { isGenerated, isUnusual, type ContextPattern } from '../context-pattern.ts';

/** Configuration files that are not assignments. */
export const configFilePatterns = (): readonly ContextPattern[] => [
  {
    kind: 'password',
    words: 'login',
    pattern: () => /\blogin\s+\S{1,100}\s+password\s+(?<value>\S{3,})/dgu,
    accepts: isUnusual,
  },
  {
    kind: 'password',
    words: ':',
    pattern: () =>
      /^[ \t]*[\w.*-]{1,255}:(?:[0-9]{2,5}|\*):[^\s:]{1,100}:[^\s:]{1,100}:(?<value>[^\s:]{6,})$/dgmu,
    accepts: isGenerated,
  },
  {
    // Forms in several parts.
    kind: 'secret',
    words: 'form-data',
    pattern: () =>
      /\bname=\\?"(?<name>[\w.[\]-]{1,99})\\?"(?:(?:\r?\n|(?:\\r)?\\n)[A-Za-z-]{1,40}:[^\r\n\\]{0,200}){0,3}(?:\r?\n|(?:\\r)?\\n){2}(?<value>[^\r\n\\]{4,1000})/dgu,
    accepts: isUnusual,
  },
  {
    // Network devices: a digit for the encoding of the password comes first.
    kind: 'password',
    words: 'password secret key',
    pattern: () =>
      /\b(?:password|secret|key|key-string|md5)\s{1,4}(?:[05-9]|encrypted)\s{1,4}["']?(?<value>[^\s"']{6,255})["']?(?=[ \t]{0,20}(?:\r?\n|$))/dgu,
    accepts: isGenerated,
  },
  {
    kind: 'password',
    words: 'community',
    pattern: () => /\bsnmp-server\s{1,4}community\s{1,4}(?<value>(?!(?:public|private)\s)\S{3,128})/dgu,
    accepts: isUnusual,
  },
  {
    // `name: DB_PASSWORD` with `value: …` after it, as Kubernetes and .NET write it.
    kind: 'secret',
    words: 'value',
    pattern: () =>
      /\b(?:name|key)["']?\s{0,4}[:=]\s{0,4}["']?(?<name>[A-Za-z_][\w.-]{0,99})["']?,?\s{1,40}["']?value["']?\s{0,4}[:=]\s{0,4}["']?(?<value>[^\s"'<>]{4,1000})/dgiu,
    accepts: isUnusual,
  },
  {
    kind: 'secret',
    words: 'default',
    pattern: () =>
      /\bvariable\s+"(?<name>\w{1,99})"\s*\{[^{}]{0,500}?\bdefault\s*=\s*"(?<value>[^"\n]{4,1000})"/dgu,
    accepts: isUnusual,
  },
];
