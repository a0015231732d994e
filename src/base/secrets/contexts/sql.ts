import { isGenerated, isUnusual, type ContextPattern } from '../context-pattern.ts';

/** Passwords in SQL statements that create users and logins. */
export const sqlPatterns = (): readonly ContextPattern[] => [
  {
    kind: 'password',
    substrings: 'password identified',
    pattern: () =>
      /\b(?:PASSWORD|IDENTIFIED\s{1,20}(?:WITH\s{1,20}\S{1,100}\s{1,20})?(?:BY|AS)(?:\s{1,20}PASSWORD)?)\s{1,20}N?'(?<value>[^'\n]{3,400})'/dgiu,
    accepts: isUnusual,
  },
  {
    kind: 'password',
    substrings: 'identified',
    pattern: () =>
      /\b(?:USER|ROLE)\s[^\n;]{1,200}\sIDENTIFIED\s{1,20}BY\s{1,20}"?(?<value>[^\s"';]{3,128})/dgiu,
    accepts: isGenerated,
  },
  {
    kind: 'password',
    substrings: 'sp_addlogin sp_password',
    pattern: () =>
      /\bsp_(?:addlogin|password)\s{1,4}N?'[^'\n]{0,128}'\s{0,4},\s{0,4}N?'(?<value>[^'\n]{3,128})'/dgiu,
    accepts: isUnusual,
  },
];
