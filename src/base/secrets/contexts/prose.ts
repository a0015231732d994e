import { isFilled, isGenerated, isStrong, type ContextPattern } from '../context-pattern.ts';

/** Prose: "the password is …", "use the token `…`", "set api_key …". */
export const prosePatterns = (): readonly ContextPattern[] => [
  {
    // The words of a wallet: twelve to twenty-four.
    kind: 'mnemonic',
    substrings: 'mnemonic phrase',
    pattern: () =>
      /\b(?:mnemonic|(?:seed|recovery) phrase)["'*]{0,3}\s?[:=]\s{0,2}["'*]{0,3}(?<value>[a-z]{3,8}(?: [a-z]{3,8}){11,23})(?![a-z ])/dgiu,
    accepts: isFilled,
  },
  {
    kind: 'secret',
    substrings: 'pass pwd secret token key cred',
    pattern: () =>
      /(?<![\w.-])(?=(?<name>(?:[A-Za-z]{1,20} )?[A-Za-z_][\w.-]{2,60})(?:\s(?:is|was|lautet|ist|to|set to|now|:))?\s{1,4}["'`]?(?<value>[^\s"'`,;]{10,400}))/dgu,
    accepts: isStrong,
  },
  {
    // "the api key for the weather service: …"
    kind: 'secret',
    substrings: 'pass pwd secret token key kennwort',
    pattern: () =>
      /(?<![\w.-])(?<name>(?:[A-Za-z]{1,20}[ _-])?(?:password|passwort|kennwort|passphrase|passcode|pwd|secret|token|key))\s(?:for|of|to|on|at|from|in|für|fuer|zu|zum|zur|vom|von|des|der)\s[^\n:=]{1,80}?(?:\s(?:is|was|ist|lautet|war))?\s?(?:[:=]|(?<=\s(?:is|ist|lautet)))\s{1,4}["'`]?(?<value>[^\s"'`,;]{8,400})/dgiu,
    accepts: isStrong,
  },
  {
    // Programs that create an account print its password: "a temporary password is generated for root: …".
    kind: 'password',
    substrings: 'password passphrase',
    pattern: () =>
      /\bpass(?:word|phrase)\s(?:(?:is|was|has been)\s)?(?:\w{1,20}\s)?(?:generated|created|set|reset|assigned|changed|issued)(?:\s(?:for|to)\s[^\n=]{1,80}?)?:\s{1,4}["'`]?(?<value>[^\s"'`]{6,400})/dgiu,
    accepts: isGenerated,
  },
  {
    // "Use the following password to continue:", with the password on a separate line.
    kind: 'secret',
    substrings: 'following',
    pattern: () =>
      /\bfollowing\s(?<name>(?:[A-Za-z]{1,20}\s){0,2}?(?:password|passphrase|token|key|secret))\b[^\n:]{0,80}:\s{1,20}["'`]?(?<value>[^\s"'`]{8,400})/dgiu,
    accepts: isStrong,
  },
  {
    // Vault numbers the parts of its key.
    kind: 'key',
    substrings: 'unseal recovery',
    pattern: () =>
      /\b(?:unseal|recovery)[ _]keys?(?:[ _](?:share|part|b64|base64|hex|\(will be hidden\)))?(?:\s?#?[0-9]{1,3})?\s{0,4}["']?\s{0,4}[:=]?\s{1,4}["'`[]{0,2}(?<value>[A-Za-z0-9+/=-]{24,200})/dgiu,
    accepts: isGenerated,
  },
  {
    kind: 'password',
    substrings: 'password',
    pattern: () => /^PASSWORD [\w.-]{1,60} = (?<value>\S{6,200})$/dgmu,
    accepts: isGenerated,
  },
];
