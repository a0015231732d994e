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
    kind: 'secret',
    words: '</',
    pattern: () =>
      /<(?<name>[A-Za-z][\w.-]{0,63})(?: [^<>]{0,200})?>(?<value>[^<>\s]{4,1000})<\/\k<name>>/dgu,
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
