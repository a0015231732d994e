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
  {
    // "the api key for the weather service: …"
    kind: 'secret',
    words: 'pass pwd secret token key kennwort',
    pattern: () =>
      /(?<![\w.-])(?<name>(?:[A-Za-z]{1,20}[ _-])?(?:password|passwort|kennwort|passphrase|passcode|pwd|secret|token|key))\s(?:for|of|to|on|at|from|in|für|fuer|zu|zum|zur|vom|von|des|der)\s[^\n:=]{1,80}?(?:\s(?:is|was|ist|lautet|war))?\s?(?:[:=]|(?<=\s(?:is|ist|lautet)))\s{1,4}["'`]?(?<value>[^\s"'`,;]{8,400})/dgiu,
    accepts: isStrong,
  },
];
