import { isFilled, isGenerated, isUnusual, type ContextPattern } from '../context-pattern.ts';

/** Programs that take a secret as a plain argument, after a flag of one letter, or at a prompt. */
export const serviceToolPatterns = (): readonly ContextPattern[] => [
  {
    kind: 'password',
    substrings: 'rabbitmqctl mosquitto_passwd wpa_passphrase',
    pattern: () =>
      /\b(?:rabbitmqctl(?:\.bat)?\s{1,4}(?:-\S{1,60}\s{1,4}(?:\S{1,60}\s{1,4})?)?(?:add_user|change_password|authenticate_user)\s{1,4}\S{1,100}|mosquitto_passwd\s{1,4}(?:-c\s{1,4})?-b\s{1,4}\S{1,200}\s{1,4}\S{1,100}|wpa_passphrase\s{1,4}(?:"[^"\n]{1,40}"|'[^'\n]{1,40}'|\S{1,40}))\s{1,4}["']?(?<value>[^\s"'-][^\s"']{2,127})/dgu,
    accepts: isUnusual,
  },
  {
    // The access key and the secret key of a server.
    kind: 'secret',
    substrings: 'alias set',
    pattern: () =>
      /\bmc\s{1,4}alias\s{1,4}set\s{1,4}\S{1,60}\s{1,4}\S{1,200}\s{1,4}\S{1,128}\s{1,4}["']?(?<value>[^\s"'-][^\s"']{5,127})/dgu,
    accepts: isUnusual,
  },
  {
    kind: 'password',
    substrings: 'ipmitool mosquitto_',
    pattern: () =>
      /(?<=\b(?:ipmitool|mosquitto_(?:pub|sub|rr))\b[^\n|;]{0,300}[\s\0]-P(?:[\s\0]?["']?|["'],\s{0,4}["']))(?<value>[^\s\0"',-][^\s\0"']{2,127})/dgu,
    accepts: isUnusual,
  },
  {
    kind: 'password',
    substrings: 'nmcli',
    pattern: () =>
      /\bnmcli\b[^\n|;]{0,300}\s(?:password|wifi-sec\.psk)\s{1,4}["']?(?<value>[^\s"']{4,128})/dgu,
    accepts: isFilled,
  },
  {
    kind: 'password',
    substrings: 'pass:',
    pattern: () => /\s-(?:passin|passout|pass|k|K)\s{1,4}["']?pass:(?<value>[^\s"']{3,128})/dgu,
    accepts: isUnusual,
  },
  {
    kind: 'token',
    substrings: 'snyk',
    pattern: () => /\bsnyk\s{1,4}(?:config\s{1,4}set\s{1,4}api=|auth\s{1,4})["']?(?<value>[\w.-]{16,200})/dgu,
    accepts: isGenerated,
  },
  {
    // Scripts that wait for a prompt and send the answer.
    kind: 'password',
    substrings: 'expect',
    pattern: () =>
      /\bexpect\b[^\n]{1,60}?(?:assw(?:or)?d|assphrase)[^\n]{0,40}(?:\n[ \t]{0,40})?[^\n]{0,40}?\bsend(?:line)?[\s(]\s{0,4}(?:--\s)?["'{](?<value>[^"'{}\n]{3,128}?)(?:\\[rn]){0,2}["'}]/dgu,
    accepts: isUnusual,
  },
];
