import { isStrong, type ContextPattern } from '../context-pattern.ts';

/** Prose: "the password is …", "use the token `…`", "set api_key …". */
export const prosePatterns = (): readonly ContextPattern[] => [
  {
    kind: 'secret',
    words: 'pass pwd secret token key cred',
    pattern: () =>
      /(?<![\w.-])(?=(?<name>(?:[A-Za-z]{1,20} )?[A-Za-z_][\w.-]{2,60})(?:\s(?:is|was|lautet|ist|to|set to|now|:))?\s{1,4}["'`]?(?<value>[^\s"'`,;]{10,400}))/dgu,
    accepts: isStrong,
  },
];
