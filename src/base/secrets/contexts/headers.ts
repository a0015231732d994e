import { isCookie, isEncoded, isGenerated, type ContextPattern } from '../context-pattern.ts';

/** Secrets in headers of HTTP requests and responses. */
export const headerPatterns = (): readonly ContextPattern[] => [
  {
    kind: 'signature',
    substrings: 'aws4-hmac-sha256',
    pattern: () => /\bAWS4-HMAC-SHA256\b[^\n]{0,600}?\bSignature=(?<value>[0-9a-f]{32,128})/dgu,
    accepts: isGenerated,
  },
  {
    // GitHub Actions masks this value in its log, so it is a secret.
    kind: 'secret',
    substrings: '::add-mask::',
    pattern: () => /::add-mask::(?<value>[^\s"'`$]{4,1000})/dgu,
    accepts: isGenerated,
  },
  {
    kind: 'credentials',
    substrings: 'bearer basic digest negotiate apikey token ssws',
    pattern: () =>
      /\b(?:bearer|basic|digest|negotiate|apikey|token|ssws)\s+(?<value>[A-Za-z0-9._~+/=-]{12,})/dgiu,
    accepts: isEncoded,
  },
  {
    // After the name of the header, a shorter value is a credential too.
    kind: 'credentials',
    substrings: 'authorization',
    pattern: () =>
      /\bauthorization\\?["']?\s?[:=]\s?\\?["']?(?:bearer|basic|digest|negotiate|apikey|token|ssws)\s+(?<value>[A-Za-z0-9._~+/=-]{4,})/dgiu,
    accepts: isEncoded,
  },
  {
    kind: 'cookie',
    substrings: 'cookie',
    pattern: () => /\b(?:set-)?cookie\\?["']?\s?[:=]\s?\\?["']?(?<value>[^\s"'=;,]{1,100}=[^\r\n"']+)/dgiu,
    accepts: isCookie,
  },
  {
    kind: 'cookie',
    substrings: 'curl wget http',
    pattern: () =>
      /\b(?:curl|wget|http|xh)(?=[\s\0"'])[^\n|;]{0,500}?[\s\0"'](?:-b|--cookie)(?:[\s\0=]?["']?|["'],\s{0,4}["'])(?<value>[^\s"'=;,\0]{1,100}=[^\r\n"'\0]{1,4000})/dgu,
    accepts: isCookie,
  },
  {
    // Cookies of sessions, by the names that web frameworks give them.
    kind: 'cookie',
    substrings: 'phpsessid jsessionid net_sessionid laravel_session connect.sid',
    pattern: () =>
      /\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|laravel_session)\\?["']?\s?[=:]\s?\\?["']?(?<value>[\w%.:+/=-]{16,400})/dgiu,
    accepts: isGenerated,
  },
  {
    kind: 'cookie',
    substrings: 'cookies',
    pattern: () =>
      /\bcookies\s?[=:]\s?\{\s{0,20}["'][\w.-]{1,100}["']\s?:\s?["'](?<value>[^"'\n]{8,1000})["']/dgu,
    accepts: isGenerated,
  },
  {
    kind: 'credentials',
    substrings: 'auth',
    pattern: () =>
      /(?<![\w-])_?auth\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?<value>[A-Za-z0-9+/]{12,}={0,2})(?![\w(.=])/dgu,
    accepts: isEncoded,
  },
];
