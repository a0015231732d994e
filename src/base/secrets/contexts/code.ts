import { isFilled, isGenerated, isUnusual, type ContextPattern } from '../context-pattern.ts';

/** Code: the name and the value as two arguments, or the value as the argument of a setter. */
export const codePatterns = (): readonly ContextPattern[] => [
  {
    kind: 'secret',
    substrings: ',',
    pattern: () =>
      /["'`](?<name>[A-Za-z_][\w.-]{0,99})["'`]\s{0,20},\s{0,20}(?<quote>["'`])(?<value>(?:(?!\k<quote>)[^\n]){6,1000})\k<quote>/dgu,
    accepts: isGenerated,
  },
  {
    kind: 'secret',
    substrings: '(',
    pattern: () =>
      /(?<![\w$])(?!(?:get|fetch|read|load|find|lookup|retrieve|describe)[_A-Z])(?:set|with|add|use)?(?<name>[A-Za-z_]\w{2,63})\(\s{0,4}["'`](?<value>[^"'`\n]{6,1000})["'`]/dgu,
    accepts: isGenerated,
  },
  {
    kind: 'password',
    substrings: 'auth cred',
    pattern: () =>
      /(?:\b(?:auth|creds?|credentials?)\s{0,4}=\s{0,4}\w{0,40}\(|(?:BasicAuth|Credentials?|PasswordAuth)\w{0,20}\()\s{0,20}(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w.$]{1,100})\s{0,4},\s{0,20}@?(?<quote>["'])(?<value>(?:(?!\k<quote>)[^\n]){3,400})\k<quote>/dgu,
    accepts: isUnusual,
  },
  {
    // The user and the password, of calls that also take other things.
    kind: 'password',
    substrings: 'login( auth( authenticate( oci_connect( oracle',
    pattern: () =>
      /\b(?:login|auth|authenticate|oci_p?connect|(?:cx_Oracle|oracledb)\.connect)\(\s{0,20}(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w.$]{1,100})\s{0,4},\s{0,20}(?<quote>["'])(?<value>(?:(?!\k<quote>)[^\n]){6,400})\k<quote>/dgiu,
    accepts: isGenerated,
  },
  {
    // The address or server, the user, and the password of a connection.
    kind: 'password',
    substrings: 'pdo( mysqli mysql_ mysqldb pymysql getconnection( ftp_login( createconnection( jdbc',
    pattern: () =>
      /\b(?:PDO|mysqli(?:_(?:real_)?connect)?|mysql_p?connect|(?:MySQLdb|pymysql)\.connect|getConnection|createConnection|ftp_login|jdbc\.connect)\((?:\s{0,20}(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'|[\w.$>-]{1,100})\s{0,4},){2}\s{0,20}(?<quote>["'])(?<value>(?:(?!\k<quote>)[^\n]){3,400})\k<quote>/dgu,
    accepts: isUnusual,
  },
  {
    // The key of a signature or a cipher, after what it is applied to.
    kind: 'key',
    substrings: 'jwt. jwt:: jsonwebtoken. createhmac createcipheriv createdecipheriv hash_hmac',
    pattern: () =>
      /\b(?:(?:jwt|jsonwebtoken)(?:\.|::)(?:sign|verify|encode|decode)|create(?:Hmac|Cipheriv|Decipheriv)|hash_hmac)\([^;]{1,300}?,\s{0,20}(?:[\w.]{1,40}\()?b?(?<quote>["'`])(?<value>(?![HRPE]S[0-9]{3})(?:(?!\k<quote>)[^\n]){4,400})\k<quote>\s{0,4}[,)]/dgiu,
    accepts: isUnusual,
  },
  {
    // Comparisons by a method: `token.equals("…")`, `expect(user.token).toBe("…")`.
    kind: 'secret',
    substrings: 'equal .tobe( .eq(',
    pattern: () =>
      /(?<![\w.-])(?<name>[A-Za-z_][\w.-]{0,99})(?:\(\))?["']?[\])]{0,3}\.(?:equals|equalsIgnoreCase|eq|toBe|toEqual|toStrictEqual|isEqualTo|(?:to|should)\.(?:equal|eql|be\.equal))\(\s{0,4}["'`](?<value>[^"'`\n]{6,1000})["'`]/dgu,
    accepts: isGenerated,
  },
  {
    kind: 'password',
    substrings: 'securestring',
    pattern: () => /ConvertTo-SecureString\s+(?:-String\s+)?["'](?<value>[^"'\n]{3,400})["']/dgiu,
    accepts: isUnusual,
  },
  {
    kind: 'private key',
    substrings: '"kty"',
    pattern: () => /"kty"\s{0,4}:(?:(?!"kty")[^{}]){0,2000}"d"\s{0,4}:\s{0,4}"(?<value>[\w-]{20,2000})"/dgu,
    accepts: isFilled,
  },
];
