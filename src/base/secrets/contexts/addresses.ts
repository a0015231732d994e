import { isFilled, isGenerated, isRandom, isUnusual, type ContextPattern } from '../context-pattern.ts';

/** Documentation writes `user:password@host`. */
const isPasswordOfUrl = (value: string): boolean =>
  isFilled(value) && !/^(?:password|passwd|pass|pwd|secret)$/iu.test(value);

/** URLs with credentials. A user name without a password is ordinary text, unless it looks generated: then it is a token. */
export const addressPatterns = (): readonly ContextPattern[] => [
  {
    kind: 'password in a URL',
    substrings: '://',
    pattern: () => /\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s:/@"'`<>]{0,255}:(?<value>[^\s/"'`<>]{1,255})@/dgiu,
    accepts: isPasswordOfUrl,
  },
  {
    kind: 'token in a URL',
    substrings: '://',
    pattern: () => /\b[a-z][a-z0-9+.-]{0,31}:\/\/(?<value>[^\s:/@"'`<>]{16,255})@/dgiu,
    accepts: isGenerated,
  },
  {
    kind: 'password in a data source name',
    substrings: '@tcp( @tcp6( @udp( @unix(',
    pattern: () => /(?<![\w/:.-])[\w.-]{1,64}:(?<value>[^\s"'`<>]{1,255})@(?:tcp6?|udp|unix)\(/dgu,
    accepts: isFilled,
  },
  {
    // Oracle writes the password after the user: `sqlplus scott/tiger@orcl`.
    kind: 'password in a data source name',
    substrings: 'jdbc:oracle conn sqlplus sqlldr expdp impdp rman',
    pattern: () =>
      /\b(?:jdbc:oracle:\w{1,10}:|(?:conn|connect|sqlplus|sqlldr|expdp|impdp|rman target)\s{1,4}(?:-\w{1,10}\s{1,4}){0,3}["']?)[\w$#.-]{1,64}\/(?<value>[^\s"'/@]{3,128})@[\w/]/dgiu,
    accepts: isUnusual,
  },
  {
    kind: 'signed URL',
    substrings: 'sig= signature= token= hmac= verifier=',
    pattern: () =>
      /[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|hmac|code_verifier)=(?<value>[^\s&"'`<>]{16,})/dgiu,
    accepts: (value) => isFilled(value) && /[0-9]|[a-z][A-Z]/u.test(value),
  },
  {
    // A code or ticket can be exchanged for a token. Many other things have a code: an error, a country, a discount.
    kind: 'code in a URL',
    substrings: 'code ticket samlresponse',
    pattern: () =>
      /(?:[?&;#]|%3f|%26|\\u0026)(?:(?:auth(?:orization)?_|device_)?code|ticket|samlresponse)(?:=|%3d)(?<value>(?:(?!%26)[^\s&"'`<>#;\\]){16,4000})/dgiu,
    accepts: isRandom,
  },
];
