import { isFilled, isGenerated, type ContextPattern } from '../context-pattern.ts';

/** Addresses. A user name alone is ordinary, a generated one is a token. */
export const addressPatterns = (): readonly ContextPattern[] => [
  {
    kind: 'password in a URL',
    words: '://',
    pattern: () => /\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s:/@"'`<>]{0,255}:(?<value>[^\s/"'`<>]{1,255})@/dgiu,
    accepts: isFilled,
  },
  {
    kind: 'token in a URL',
    words: '://',
    pattern: () => /\b[a-z][a-z0-9+.-]{0,31}:\/\/(?<value>[^\s:/@"'`<>]{16,255})@/dgiu,
    accepts: isGenerated,
  },
  {
    kind: 'signed URL',
    words: 'sig= signature= token= hmac= verifier=',
    pattern: () =>
      /[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|hmac|code_verifier)=(?<value>[^\s&"'`<>]{16,})/dgiu,
    accepts: isFilled,
  },
];
