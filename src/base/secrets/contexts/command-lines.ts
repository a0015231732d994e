import { isPortMapping } from '../ordinary-value.ts';
import { isFilled, isGenerated, isUnusual, type ContextPattern } from '../context-pattern.ts';

/** Command lines. In the arguments of a process a NUL separates a flag from its value. In `-pSECRET`, `-p` is the name and the rest is the password. */
export const commandLinePatterns = (): readonly ContextPattern[] => [
  {
    kind: 'secret',
    substrings: '-',
    pattern: () =>
      /(?<=^|[\s"'`[(,])(?:--|-(?!p[A-Z]))(?<name>[A-Za-z][\w-]{0,63})(?:["'],? ?["']| ["']?)(?<value>[^-\s"'`\0][^\s"'`\0]{2,400})/dgu,
    accepts: isUnusual,
  },
  {
    // A value in quotes may contain spaces.
    kind: 'secret',
    substrings: '-',
    pattern: () =>
      /(?<=^|[\s"'`[(,])(?:--|-(?!p[A-Z]))(?<name>[A-Za-z][\w-]{0,63})[= ](?<quote>["'])(?<value>(?:(?!\k<quote>)[^\n\0]){4,400})\k<quote>/dgu,
    accepts: isUnusual,
  },
  {
    kind: 'secret',
    substrings: '\0',
    pattern: () => /(?<=^|\0)(?:--|-(?!p[A-Z]))(?<name>[A-Za-z][\w-]{0,63})\0(?<value>[^-\0][^\0]{0,400})/dgu,
    accepts: isFilled,
  },
  {
    kind: 'password',
    substrings: 'mysql mariadb 7z rar',
    pattern: () =>
      /(?<=\b(?:mysql(?:dump|admin|import|check|show|pump|slap|binlog|sh)?|mariadb(?:-[a-z]{1,20})?|7z[ar]?|(?:un)?rar)\b[^\n|;&]{0,300}[\s\0"']-p["']?|\brar\b[^\n|;&]{0,300}[\s\0"']-hp["']?)(?<value>[^\s\0"'`,-][^\s\0"']*)/dgu,
    accepts: (value) => isFilled(value) && !isPortMapping(value),
  },
  {
    kind: 'password',
    substrings: 'mongo login twine psexec',
    pattern: () =>
      /(?<=\b(?:mongosh|mongo|mongodump|twine upload|psexec|[\w-]{1,20} (?:\w{1,20} )?login)\b[^\n|;]{0,300}[\s\0"']-p(?:[\s\0]?["']?|["'],\s{0,4}["']))(?<value>[^\s\0"'-][^\s\0"']*)/dgu,
    accepts: (value) => isGenerated(value) && !isPortMapping(value),
  },
  {
    kind: 'password',
    substrings: 'redis-cli sqlcmd bcp zip ldap',
    pattern: () =>
      /(?<=\b(?:redis-cli\b[^\n|;]{0,300}[\s\0"']-a|(?:sqlcmd|bcp|zip|unzip)\b[^\n|;]{0,300}[\s\0"']-P|ldap(?:search|modify|add)\b[^\n|;]{0,300}[\s\0"']-w)(?:[\s\0]?["']?|["'],\s{0,4}["']))(?<value>[^\s\0"',-][^\s\0"']*)/dgu,
    accepts: isUnusual,
  },
];
