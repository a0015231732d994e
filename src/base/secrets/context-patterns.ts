/** Secrets in running text that are recognised by what is around them: an address, a header, a flag, a call. */
import { lazy } from '../lazy.ts';
import type { ContextPattern } from './context-pattern.ts';
import { accountToolPatterns } from './contexts/account-tools.ts';
import { xmlPatterns } from './contexts/xml.ts';
import { sqlPatterns } from './contexts/sql.ts';
import { addressPatterns } from './contexts/addresses.ts';
import { headerPatterns } from './contexts/headers.ts';
import { commandLinePatterns } from './contexts/command-lines.ts';
import { clientToolPatterns } from './contexts/client-tools.ts';
import { configFilePatterns } from './contexts/config-files.ts';
import { codePatterns } from './contexts/code.ts';
import { languagePatterns } from './contexts/languages.ts';
import { nameValuePatterns } from './contexts/name-value-pairs.ts';
import { serviceToolPatterns } from './contexts/service-tools.ts';
import { prosePatterns } from './contexts/prose.ts';
import type { SecretFinding } from './secret-finding.ts';
import { isGeneratedIdentifier } from './ordinary-value.ts';
import { isIdentifierName, isSecretName, kindOfName } from './secret-name.ts';

/** Every pattern, in the order in which they are tried. */
export const contextPatterns = lazy((): readonly ContextPattern[] => [
  ...addressPatterns(),
  ...headerPatterns(),
  ...commandLinePatterns(),
  ...clientToolPatterns(),
  ...accountToolPatterns(),
  ...serviceToolPatterns(),
  ...configFilePatterns(),
  ...nameValuePatterns(),
  ...xmlPatterns(),
  ...codePatterns(),
  ...sqlPatterns(),
  ...prosePatterns(),
  ...languagePatterns(),
]);

/** Something separates a secret from its context; names of members are mostly single words. */
const SEPARATORS = /[\s:=(<,\0：是]/u;

/** Frequent texts that have a separator but no secret: a program with its version, and an address without an account or parameters. */
const ORDINARY = /^(?:[a-z]+ \d+\.\d+\.\d+|https?:\/\/[\w./-]+)$/u;

/**
 * Text without any of these contains nothing that these patterns, or an assignment, would find. Most texts end here. The first search
 * compiles the pattern, so words with letters outside of ASCII have a separate pattern.
 */
const CONTEXT_WORDS =
  /pass|pwd|\bpw\b|psk|add-mask|creds|aws4-hmac|secret|token|key|credential|auth|cookie|jwt|bearer|basic|digest|ssws|mnemonic|phrase|recovery|backup|_pat|curl|wget|mysql|mariadb|mongo|login|redis-cli|sqlcmd|bcp|zip|ldap|code=|code%3d|ticket=|samlresponse=|sig=|signature=|hmac=|verifier=|identified|securestring|@tcp|@udp|@unix|sqlplus|sqlldr|expdp|impdp|rman|connect|jdbc:|smb|rpcclient|winexe|\/user:|\/add|\/rp|-pw|community|salt|kennwort|pdo\(|createconn|echo|printf|sp_add|"kty"|:5|:\*:|assw|createhmac|hash_hmac|cipheriv|7z|rar |rabbitmqctl|snyk|ipmitool|mosquitto|nmcli|alias set|bundle_|sessid|sessionid|laravel_session|unseal|contrase|senha|wachtwoord|adgangskode|salasana|heslo|jelsz|lozinka|mdp|clave|parola|kodeord|haslo|losenord|sifre/u;
const OTHER_WORDS = /hasło|lösenord|şifre|парол|密[码碼]|口令|パスワード|비밀번호|khẩu|סיסמה|كلمة/u;

/** Tells whether a text, in lower case, may contain a secret that is recognised by its context. */
export function mayNeedContext(lower: string): boolean {
  if (!SEPARATORS.test(lower) || ORDINARY.test(lower)) return false;
  if (CONTEXT_WORDS.test(lower) || (lower.includes('://') && lower.includes('@'))) return true;
  return /[^\0-\x7f]/u.test(lower) && OTHER_WORDS.test(lower);
}

export function findByContext(text: string, lower: string): SecretFinding[] {
  return contextPatterns()
    .filter(({ substrings }) => substrings.split(' ').some((substring) => lower.includes(substring)))
    .flatMap(({ kind, pattern, accepts }) => {
      const found: SecretFinding[] = [];
      for (const match of text.matchAll(pattern())) {
        const { name } = match.groups ?? {};
        const [start = 0, end = 0] = match.indices?.groups?.value ?? [];
        const value = text.slice(start, end);
        if ((name === undefined || isNamedSecret(name, value)) && accepts(value)) {
          found.push({
            kind: name === undefined ? kind : kindOfName(name),
            start,
            end: trimEnd(text, start, end),
          });
        }
      }
      return found;
    });
}

function isNamedSecret(name: string, value: string): boolean {
  return isSecretName(name) && (!isIdentifierName(name) || isGeneratedIdentifier(value));
}

/** A sentence may end right after a secret. */
function trimEnd(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && '.,:;!?'.includes(text[last - 1] ?? '')) last -= 1;
  return last;
}
