import { isUnusual, type ContextPattern } from '../context-pattern.ts';

/** Clients that take a password, or a user with a password, on the command line or from a variable before it. The password may be short or an ordinary word. */
export const clientToolPatterns = (): readonly ContextPattern[] => [
  {
    // Its flags come before the command that it runs.
    kind: 'password',
    substrings: 'sshpass',
    pattern: () =>
      /\bsshpass["']?(?:,?[\s\0]{1,4}["']?-[vP](?:[\s\0]{1,4}(?!-)\S{1,60})?["']?){0,4},?[\s\0]{1,4}["']?-p(?:["'],?)?[\s\0]{0,4}(?:(?<quote>["'])(?=[^"'\n\0]{1,200}\k<quote>))?(?<value>(?<=["'])[^"'\n\0]{1,200}(?=["'])|[^\s\0"'`-][^\s\0"']{0,200})/dgu,
    accepts: isUnusual,
  },
  {
    // Variables that programs read a password from, before the command: a short one counts too.
    kind: 'password',
    substrings: 'pgpassword mysql_pwd sshpass',
    pattern: () =>
      /\b(?:PGPASSWORD|MYSQL_PWD|SSHPASS)=(?:(?<quote>["'])(?=[^"'\n]{1,200}\k<quote>))?(?<value>(?<=["'])[^"'\n]{1,200}(?=["'])|[^\s\0"'`;&|)]{1,200})/dgu,
    accepts: isUnusual,
  },
  {
    kind: 'password',
    substrings: 'curl wget http xh',
    pattern: () =>
      /(?<=\b(?:curl|wget|http|xh)\b[^\n|;]{0,500}[\s\0"'](?:-[afgiIjJklLnNOqRsSvZ]{0,8}[uU]|--(?:proxy-)?user)(?:[\s\0=]?["']?|["'],\s{0,4}["'])[^\s:"',\0]{1,100}:)(?<value>[^\s"'\0]{1,200})/dgu,
    accepts: isUnusual,
  },
  {
    // A value in quotes may contain spaces.
    kind: 'password',
    substrings: 'curl',
    pattern: () =>
      /(?<=\bcurl\b[^\n|;]{0,500}[\s\0](?:-[afgiIjJklLnNOqRsSvZ]{0,8}[uU]|--(?:proxy-)?user)[\s\0=]?(?<quote>["'])[^\s:"'\0]{1,100}:)(?<value>[^"'\n\0]{1,200})(?=["'])/dgu,
    accepts: isUnusual,
  },
];
