import { REDACTED } from '../../base/secrets/redact.ts';
import { isSecretName } from '../../base/secrets/secret-name.ts';

/** A value of a script: in quotes, or to the next space. */
const VALUE = String.raw`(?<value>"[^"]*"|'[^']*'|[^\s;&|-][^\s;&|]*)`;
/** The flags before the flag that takes the password. */
const OTHERS = String.raw`\s(?:[^\n|;&]{0,200}?\s)??`;

/** In the text of a script, a value ends at the next space outside quotes: the rest is still needed to start the program again. */
export function maskScript(text: string): string {
  return text
    .replaceAll(
      /(?<=^|[\s;&|(])([A-Za-z]\w{0,60})=("[^"]*"|'[^']*'|[^\s;&|)]+)/gu,
      (whole, name: string, value: string) =>
        isSecretAssignment(name, value) ? `${name}=${REDACTED}` : whole,
    )
    .replaceAll(
      new RegExp(String.raw`(?<before>\b(?:sshpass|mongosh|mongo)${OTHERS}-p\s?)${VALUE}`, 'gu'),
      maskValue,
    )
    .replaceAll(
      new RegExp(
        String.raw`(?<before>\b(?:mysql(?:dump|admin|import|check|show|pump|slap|binlog|sh)?|mariadb(?:-[a-z]{1,20})?)${OTHERS}-p)${VALUE}`,
        'gu',
      ),
      maskValue,
    )
    .replaceAll(
      userPattern('curl|xh', '-[afgiIjJklLnNOqRsSvZ]{0,8}[uU]|--(?:proxy-)?user', ':'),
      `$<before>${REDACTED}`,
    )
    .replaceAll(
      userPattern('smbclient|smbget|smbcacls|rpcclient|winexe', '-U|--user', '%'),
      `$<before>${REDACTED}`,
    );
}

/** Matches the password after a user and the separator: to the closing quote if both are in quotes. */
function userPattern(programs: string, flags: string, separator: string): RegExp {
  const user = String.raw`[^\s"'$${separator}]{1,100}${separator}`;
  return new RegExp(
    String.raw`(?<before>\b(?:${programs})${OTHERS}(?:${flags})[\s=]?(?<quote>["']?)${user})(?!\$)(?:(?<=["']${user})[^"'\n]+(?=\k<quote>)|(?<!["']${user})[^\s;&|"']+)`,
    'gu',
  );
}

/** A variable is not masked, because it is not the password itself. */
function maskValue(whole: string, before: string, value: string): string {
  return /^["']?\$/u.test(value) ? whole : `${before}${REDACTED}`;
}

/** Tells whether a name with this value is a secret, in an argument or a script. */
export function isSecretAssignment(name: string, value: string): boolean {
  return !value.startsWith('$') && !/^(?:OLD)?PWD$/u.test(name) && isSecretName(name);
}
