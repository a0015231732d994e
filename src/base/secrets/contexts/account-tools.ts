import { isFilled, isGenerated, isUnusual, type ContextPattern } from '../context-pattern.ts';

/** Programs that set the passwords of accounts, read them from standard input, or connect to shares. */
export const accountToolPatterns = (): readonly ContextPattern[] => [
  {
    // Samba separates the user from the password by a percent sign.
    kind: 'password',
    substrings: 'smb rpcclient winexe net',
    pattern: () =>
      /(?<=\b(?:smbclient|smbget|smbcacls|rpcclient|winexe|net (?:ads|rpc))\b[^\n|;]{0,300}[\s\0](?:-U|--user)[\s\0=]?["']?[^\s%"'\0]{1,100}%)(?<value>[^\s"'\0]{3,})/dgu,
    accepts: isFilled,
  },
  {
    kind: 'password',
    substrings: '/user: /add',
    pattern: () =>
      /\bnet\s{1,4}(?:use\b[^\n|;]{0,300}\s\/user:\S{1,100}\s{1,4}|use\s{1,4}[^\n|;/]{1,300}\s(?=\S{1,128}\s{1,4}\/user:)|user\s{1,4}\S{1,100}\s{1,4}(?=\S{1,128}\s[^\n]{0,100}\/add\b))["']?(?<value>[^\s"'/*][^\s"']{2,127})/dgiu,
    accepts: isGenerated,
  },
  {
    kind: 'password',
    substrings: '/pass: /password: /rp',
    pattern: () => /(?<=\s)\/(?:pass|password|rp)[: ]["']?(?<value>[^\s"'/*][^\s"']{2,127})/dgiu,
    accepts: isGenerated,
  },
  {
    kind: 'password',
    substrings: 'htpasswd',
    pattern: () =>
      /\bhtpasswd\s{1,4}(?:-\w{1,10}\s{1,4}){0,4}-\w{0,5}b\w{0,5}\s{1,4}(?:-\w{1,10}\s{1,4}){0,4}(?:\S{1,100}\s{1,4}){1,2}["']?(?<value>[^\s"']{3,128})/dgu,
    accepts: isUnusual,
  },
  // A password, perhaps with its user, on the standard input of a program.
  {
    kind: 'password',
    substrings: 'chpasswd --stdin -stdin -s -fd',
    pattern: () =>
      /\b(?:echo|printf)\s{1,4}(?:-\w{1,4}\s{1,4})?(?:["']?%s(?:\\n)?["']?\s{1,4})?["']?(?:[\w.-]{1,64}:)?(?<value>[^\s"'|]{3,128}?)(?:\\n)?["']?\s{0,4}\|\s{0,4}(?:sudo\s{1,4}-S\b|(?:sudo\s{1,4})?(?:chpasswd\b|[^\n|;]{1,200}\s-{1,2}(?:\w{1,20}-)?(?:stdin|fd)\b))/dgu,
    accepts: isUnusual,
  },
  {
    kind: 'password',
    substrings: 'chpasswd',
    pattern: () =>
      /(?<=\bchpasswd\b(?:[^\n|;]{0,40}<<<\s?["']?|[^\n]{0,40}\n(?:[^\n]{0,100}\n){0,5}[ \t]{0,20}(?:- )?["']?)[a-z_][\w.-]{0,31}:)(?<value>[^\s"']{6,128})(?=["']?[ \t]{0,20}(?:\r?\n|$))/dgu,
    accepts: isGenerated,
  },
];
