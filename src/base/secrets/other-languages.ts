/** Words for a password in languages other than English, as the source of a pattern. German ones are in the table of names. */
export const PASSWORD_WORDS =
  'contrase(?:ñ|n\\u0303?)a|mots? de passe|senha|palavra-passe|wachtwoord|has[łl]o|l[öo]senord|passord|adgangskode|salasana|heslo|jelsz[óo]|[şs]ifre|lozinka|парол[ьюяе]м?|密[码碼]|口令|パスワード|비밀번호|mật khẩu|סיסמה|كلمة المرور';
