/** Secrets in running text that are recognised by what is around them: an address, a header, a flag, a call. */
import { lazy } from '../lazy.ts';
import { isOrdinaryValue, isPlaceholder, looksGenerated } from './ordinary-value.ts';
import { isSecretName, kindOfName } from './secret-name.ts';
import type { Finding } from './finding.ts';

interface ContextPattern {
  readonly kind: string;
  /** One of these is in every text that the pattern matches, in lower case: most texts need no more than this test. */
  readonly words: string;
  /** The group `value` is the secret. With a group `name`, that must be the name of a secret. */
  readonly pattern: () => RegExp;
  readonly accepts: (value: string) => boolean;
}

const isFilled = (value: string): boolean => !isPlaceholder(value);
const isUnusual = (value: string): boolean => !isOrdinaryValue(value);
const isGenerated = (value: string): boolean => looksGenerated(value) && !isOrdinaryValue(value);
/** Encoded credentials mix cases or contain digits; "basic configuration" does not. */
const isEncoded = (value: string): boolean =>
  /[0-9=]|[a-z][A-Z]/u.test(value) && !/^[\w-]+\.(?:md|html?|ts|js)$/u.test(value);
/** A word after "the password is" must be more than a name or a version before it is taken for one. */
const isStrong = (value: string): boolean =>
  value.length >= 10 &&
  /[0-9]/u.test(value) &&
  /[A-Za-z]/u.test(value) &&
  !/[/\\()]|^v?[0-9.]+$|\.\w{1,4}$|^[\w-]+:/u.test(value);
const isCookie = (value: string): boolean =>
  isFilled(value.slice(value.indexOf('=') + 1)) &&
  !/^(?:(?:samesite|path|domain|max-age|expires|httponly|secure|priority)\b[^;]*;?\s*)+$/iu.test(value);

/** Patterns are created when a text needs them: together they would slow down every start. */
const contextPatterns = lazy((): readonly ContextPattern[] => [
  // Addresses. A user name alone is ordinary, a generated one is a token.
  {
    kind: 'password in a URL',
    words: '://',
    pattern: lazy(
      () => /\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s:/@"'`<>]{0,255}:(?<value>[^\s/"'`<>]{1,255})@/dgiu,
    ),
    accepts: isFilled,
  },
  {
    kind: 'token in a URL',
    words: '://',
    pattern: lazy(() => /\b[a-z][a-z0-9+.-]{0,31}:\/\/(?<value>[^\s:/@"'`<>]{16,255})@/dgiu),
    accepts: isGenerated,
  },
  {
    kind: 'signed URL',
    words: 'sig= signature= token= hmac= verifier=',
    pattern: lazy(
      () =>
        /[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|hmac|code_verifier)=(?<value>[^\s&"'`<>]{16,})/dgiu,
    ),
    accepts: isFilled,
  },
  // Headers.
  {
    kind: 'credentials',
    words: 'bearer basic digest negotiate apikey token ssws',
    pattern: lazy(
      () => /\b(?:bearer|basic|digest|negotiate|apikey|token|ssws)\s+(?<value>[A-Za-z0-9._~+/=-]{12,})/dgiu,
    ),
    accepts: isEncoded,
  },
  {
    kind: 'cookie',
    words: 'cookie',
    pattern: lazy(
      () => /\b(?:set-)?cookie\\?["']?\s?[:=]\s?\\?["']?(?<value>[^\s"'=;,]{1,100}=[^\r\n"']+)/dgiu,
    ),
    accepts: isCookie,
  },
  {
    kind: 'credentials',
    words: 'auth',
    pattern: lazy(
      () =>
        /(?<![\w-])_?auth\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?<value>[A-Za-z0-9+/]{12,}={0,2})(?![\w(.=])/dgu,
    ),
    accepts: isEncoded,
  },
  // Command lines. In the arguments of a process a NUL separates a flag from its value.
  {
    kind: 'secret',
    words: '-',
    pattern: lazy(
      () =>
        /(?<=^|[\s"'`[(,])--?(?<name>[A-Za-z][\w-]{0,63})(?:["'],? ?["']| ["']?)(?<value>[^-\s"'`\0][^\s"'`\0]{2,400})/dgu,
    ),
    accepts: isUnusual,
  },
  {
    kind: 'secret',
    words: '\0',
    pattern: lazy(() => /(?<=^|\0)--?(?<name>[A-Za-z][\w-]{0,63})\0(?<value>[^-\0][^\0]{0,400})/dgu),
    accepts: isFilled,
  },
  {
    kind: 'password',
    words: 'mysql mariadb 7z',
    pattern: lazy(
      () =>
        /(?<=\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|7z)\b[^\n|;]{0,300}[\s\0]-p)(?<value>[^\s\0"'-][^\s\0"']*)/dgu,
    ),
    accepts: isFilled,
  },
  {
    kind: 'password',
    words: 'sshpass mongo login',
    pattern: lazy(
      () =>
        /(?<=\b(?:sshpass|mongosh|mongo|mongodump|docker login|podman login|helm registry login)\b[^\n|;]{0,300}[\s\0]-p[\s\0]?["']?)(?<value>[^\s\0"'-][^\s\0"']*)/dgu,
    ),
    accepts: isGenerated,
  },
  {
    kind: 'password',
    words: 'redis-cli sqlcmd bcp zip ldap',
    pattern: lazy(
      () =>
        /(?<=\b(?:redis-cli\b[^\n|;]{0,300}[\s\0]-a|sqlcmd\b[^\n|;]{0,300}[\s\0]-P|bcp\b[^\n|;]{0,300}[\s\0]-P|(?:zip|unzip)\b[^\n|;]{0,300}[\s\0]-P|ldap(?:search|modify|add)\b[^\n|;]{0,300}[\s\0]-w)[\s\0]?["']?)(?<value>[^\s\0"'-][^\s\0"']*)/dgu,
    ),
    accepts: isUnusual,
  },
  {
    kind: 'password',
    words: 'curl wget http xh',
    pattern: lazy(
      () =>
        /(?<=\b(?:curl|wget|http|xh)\b[^\n|;]{0,500}[\s\0](?:-u|--user)[\s\0=]?["']?[^\s:"'\0]{1,100}:)(?<value>[^\s"'\0]{3,})/dgu,
    ),
    accepts: isUnusual,
  },
  // Configuration files that are not assignments.
  {
    kind: 'password',
    words: 'login',
    pattern: lazy(() => /\blogin\s+\S{1,100}\s+password\s+(?<value>\S{3,})/dgu),
    accepts: isUnusual,
  },
  {
    kind: 'password',
    words: ':',
    pattern: lazy(
      () => /^[ \t]*[\w.*-]{1,255}:(?:[0-9]{2,5}|\*):[^\s:]{1,100}:[^\s:]{1,100}:(?<value>[^\s:]{6,})$/dgmu,
    ),
    accepts: isGenerated,
  },
  {
    kind: 'secret',
    words: '</',
    pattern: lazy(
      () => /<(?<name>[A-Za-z][\w.-]{0,63})(?: [^<>]{0,200})?>(?<value>[^<>\s]{4,1000})<\/\k<name>>/dgu,
    ),
    accepts: isUnusual,
  },
  {
    // `name: DB_PASSWORD` with `value: …` after it, as Kubernetes and .NET write it.
    kind: 'secret',
    words: 'value',
    pattern: lazy(
      () =>
        /\b(?:name|key)["']?\s{0,4}[:=]\s{0,4}["']?(?<name>[A-Za-z_][\w.-]{0,99})["']?,?\s{1,40}["']?value["']?\s{0,4}[:=]\s{0,4}["']?(?<value>[^\s"'<>]{4,1000})/dgiu,
    ),
    accepts: isUnusual,
  },
  {
    kind: 'secret',
    words: 'default',
    pattern: lazy(
      () => /\bvariable\s+"(?<name>\w{1,99})"\s*\{[^{}]{0,500}?\bdefault\s*=\s*"(?<value>[^"\n]{4,1000})"/dgu,
    ),
    accepts: isUnusual,
  },
  // Code: the name and the value as two arguments, or the value as the argument of a setter.
  {
    kind: 'secret',
    words: ',',
    pattern: lazy(
      () => /["'`](?<name>[A-Za-z_][\w.-]{0,99})["'`]\s{0,4},\s{0,4}["'`](?<value>[^"'`\n]{6,1000})["'`]/dgu,
    ),
    accepts: isGenerated,
  },
  {
    kind: 'secret',
    words: '(',
    pattern: lazy(
      () =>
        /(?<![\w$])(?:set|with|add|use)?(?<name>[A-Za-z_]\w{2,63})\(\s{0,4}["'`](?<value>[^"'`\n]{6,1000})["'`]/dgu,
    ),
    accepts: isGenerated,
  },
  {
    kind: 'password',
    words: 'auth',
    pattern: lazy(
      () =>
        /(?:\bauth\s{0,4}=\s{0,4}\w{0,40}\(|BasicAuth\w{0,20}\()\s{0,4}["'][^"'\n]{0,100}["']\s{0,4},\s{0,4}["'](?<value>[^"'\n]{3,400})["']/dgu,
    ),
    accepts: isUnusual,
  },
  {
    kind: 'password',
    words: 'securestring',
    pattern: lazy(() => /ConvertTo-SecureString\s+(?:-String\s+)?["'](?<value>[^"'\n]{3,400})["']/dgiu),
    accepts: isUnusual,
  },
  {
    kind: 'password',
    words: 'password identified',
    pattern: lazy(
      () => /\b(?:PASSWORD|IDENTIFIED\s+(?:WITH\s+\S+\s+)?BY(?:\s+PASSWORD)?)\s+'(?<value>[^'\n]{3,400})'/dgu,
    ),
    accepts: isUnusual,
  },
  {
    kind: 'private key',
    words: '"kty"',
    pattern: lazy(() => /"kty"\s{0,4}:[^{}]{0,2000}"d"\s{0,4}:\s{0,4}"(?<value>[\w-]{20,2000})"/dgu),
    accepts: isFilled,
  },
  // Prose: "the password is …", "use the token `…`", "set api_key …".
  {
    kind: 'secret',
    words: 'pass pwd secret token key cred',
    pattern: lazy(
      () =>
        /(?<![\w.-])(?=(?<name>(?:[A-Za-z]{1,20} )?[A-Za-z_][\w.-]{2,60})(?:\s(?:is|was|lautet|ist|to|set to|now|:))?\s{1,4}["'`]?(?<value>[^\s"'`,;]{10,400}))/dgu,
    ),
    accepts: isStrong,
  },
]);

/** Something separates a secret from its context; names of members are mostly single words. */
const SEPARATORS = /[\s:=(<,\0]/u;

/** Text without any of these contains nothing that these patterns, or an assignment, would find. Plain words: most texts end here. */
const CONTEXT_WORDS =
  /pass|pwd|psk|secret|token|key|credential|auth|cookie|jwt|bearer|basic|digest|ssws|mnemonic|phrase|recovery|backup|_pat|curl|wget|mysql|mariadb|mongo|login|redis-cli|sqlcmd|bcp|zip|ldap|sig=|signature=|hmac=|verifier=|identified|securestring|"kty"|:5|:\*:/u;

/** Tells whether a text, in lower case, may contain a secret that is recognised by its context. */
export function mayNeedContext(lower: string): boolean {
  if (!SEPARATORS.test(lower)) return false;
  return CONTEXT_WORDS.test(lower) || (lower.includes('://') && lower.includes('@'));
}

export function findByContext(text: string, lower: string): Finding[] {
  return contextPatterns()
    .filter(({ words }) => words.split(' ').some((word) => lower.includes(word)))
    .flatMap(({ kind, pattern, accepts }) => {
      const found: Finding[] = [];
      for (const match of text.matchAll(pattern())) {
        const { name } = match.groups ?? {};
        const [start = 0, end = 0] = match.indices?.groups?.value ?? [];
        const isNamed = name === undefined || isSecretName(name);
        if (isNamed && accepts(text.slice(start, end))) {
          found.push({
            kind: name === undefined ? kind : kindOfName(name),
            start,
            end: trimEnd(text, start, end),
          });
        }
      }
      return found;
    });
}

/** A sentence may end right after a secret. */
function trimEnd(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && '.,:;!?'.includes(text[last - 1] ?? '')) last -= 1;
  return last;
}
