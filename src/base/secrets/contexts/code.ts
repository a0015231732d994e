import { isFilled, isGenerated, isUnusual, type ContextPattern } from '../context-pattern.ts';

/** Code: the name and the value as two arguments, or the value as the argument of a setter. */
export const codePatterns = (): readonly ContextPattern[] => [
  {
    kind: 'secret',
    words: ',',
    pattern: () =>
      /["'`](?<name>[A-Za-z_][\w.-]{0,99})["'`]\s{0,4},\s{0,4}["'`](?<value>[^"'`\n]{6,1000})["'`]/dgu,
    accepts: isGenerated,
  },
  {
    kind: 'secret',
    words: '(',
    pattern: () =>
      /(?<![\w$])(?:set|with|add|use)?(?<name>[A-Za-z_]\w{2,63})\(\s{0,4}["'`](?<value>[^"'`\n]{6,1000})["'`]/dgu,
    accepts: isGenerated,
  },
  {
    kind: 'password',
    words: 'auth',
    pattern: () =>
      /(?:\bauth\s{0,4}=\s{0,4}\w{0,40}\(|BasicAuth\w{0,20}\()\s{0,4}["'][^"'\n]{0,100}["']\s{0,4},\s{0,4}["'](?<value>[^"'\n]{3,400})["']/dgu,
    accepts: isUnusual,
  },
  {
    kind: 'password',
    words: 'securestring',
    pattern: () => /ConvertTo-SecureString\s+(?:-String\s+)?["'](?<value>[^"'\n]{3,400})["']/dgiu,
    accepts: isUnusual,
  },
  {
    kind: 'password',
    words: 'password identified',
    pattern: () =>
      /\b(?:PASSWORD|IDENTIFIED\s+(?:WITH\s+\S+\s+)?BY(?:\s+PASSWORD)?)\s+'(?<value>[^'\n]{3,400})'/dgu,
    accepts: isUnusual,
  },
  {
    kind: 'private key',
    words: '"kty"',
    pattern: () => /"kty"\s{0,4}:[^{}]{0,2000}"d"\s{0,4}:\s{0,4}"(?<value>[\w-]{20,2000})"/dgu,
    accepts: isFilled,
  },
];
