import { isCookie, isEncoded, type ContextPattern } from '../context-pattern.ts';

/** Headers of requests and answers. */
export const headerPatterns = (): readonly ContextPattern[] => [
  {
    kind: 'credentials',
    words: 'bearer basic digest negotiate apikey token ssws',
    pattern: () =>
      /\b(?:bearer|basic|digest|negotiate|apikey|token|ssws)\s+(?<value>[A-Za-z0-9._~+/=-]{12,})/dgiu,
    accepts: isEncoded,
  },
  {
    kind: 'cookie',
    words: 'cookie',
    pattern: () => /\b(?:set-)?cookie\\?["']?\s?[:=]\s?\\?["']?(?<value>[^\s"'=;,]{1,100}=[^\r\n"']+)/dgiu,
    accepts: isCookie,
  },
  {
    kind: 'credentials',
    words: 'auth',
    pattern: () =>
      /(?<![\w-])_?auth\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?<value>[A-Za-z0-9+/]{12,}={0,2})(?![\w(.=])/dgu,
    accepts: isEncoded,
  },
];
