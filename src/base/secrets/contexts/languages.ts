import { isGenerated, isStrong, type ContextPattern } from '../context-pattern.ts';
import { PASSWORD_WORDS } from '../other-languages.ts';

const PURPOSE = String.raw`(?:\s\p{L}[^\n:=：?!.]{0,60}?)?`;
const SEPARATOR = String.raw`\s{0,4}(?:=>|[:=：是]|\s(?:es|est|é|jest|är|er|on|je)\s)\s{0,4}["'*]{0,3}`;
const CLOSING_QUOTE = String.raw`["'*)\]]{0,3}`;
const VALUE = String.raw`(?<value>(?!\/)[^\s"'，。；,;*]{6,400})`;

/** Passwords in languages other than English: "contraseña: …", "mot de passe : …", "пароль …". */
export const languagePatterns = (): readonly ContextPattern[] => [
  {
    kind: 'password',
    substrings:
      'contrase passe senha wachtwoord hasło haslo senord passord adgangskode salasana heslo jelsz ifre lozinka парол 密 口令 パス 비밀 khẩu סיסמה كلمة',
    pattern: () =>
      new RegExp(
        `(?<![\\p{L}\\p{N}])(?:${PASSWORD_WORDS})${CLOSING_QUOTE}${PURPOSE}${SEPARATOR}${VALUE}`,
        'dgiu',
      ),
    accepts: isGenerated,
  },
  {
    // These words have other meanings too.
    kind: 'password',
    substrings: 'mdp clave parola kodeord code',
    pattern: () =>
      new RegExp(
        `(?<![\\p{L}\\p{N}])(?:mdp|clave|parola|kodeord|code d'accès)${CLOSING_QUOTE}${SEPARATOR}${VALUE}`,
        'dgiu',
      ),
    accepts: isStrong,
  },
];
