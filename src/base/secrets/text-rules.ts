/** Secrets in running text that are recognised by where they appear: in an address, a header, a flag, an assignment. */
import { isOrdinaryValue, isPlaceholder, isReference, looksGenerated } from './ordinary-value.ts';
import { isSecretName } from './secret-name.ts';

/** The place of a secret in a text. */
export interface Finding {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Text without any of these words contains nothing that the rules below would find. */
export const TEXT_MARKS =
  /pass|pwd|secret|token|key|credential|auth|cookie|jwt|bearer|basic|mnemonic|phrase|recovery|backup|_pat\b|:\/\/|curl|mysql|mariadb|sig=|signature=|wget/iu;

export function findByContext(text: string): Finding[] {
  return [
    ...findInAddresses(text),
    ...findCredentials(text),
    ...findCookies(text),
    ...findFlags(text),
    ...findAssignments(text),
  ];
}

const USER_AND_PASSWORD =
  /\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s:/@"'`<>]{0,255}:(?<value>[^\s/"'`<>]{1,255})@/dgiu;
const USER_ALONE = /\b[a-z][a-z0-9+.-]{0,31}:\/\/(?<value>[^\s:/@"'`<>]{16,255})@/dgiu;
const SIGNED_QUERY =
  /[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|hmac|code_verifier)=(?<value>[^\s&"'`<>]{16,})/dgiu;

/** `https://user:password@host`, `https://token@host`, and the signature of a signed address. A user name alone is ordinary. */
function findInAddresses(text: string): Finding[] {
  return [
    ...findAll(text, USER_AND_PASSWORD, 'password in a URL', (value) => !isPlaceholder(value)),
    ...findAll(text, USER_ALONE, 'token in a URL', (value) => looksGenerated(value) && !isPlaceholder(value)),
    ...findAll(text, SIGNED_QUERY, 'signed URL', (value) => !isPlaceholder(value)),
  ];
}

const SCHEME = /\b(?:bearer|basic|digest|negotiate|apikey|token)\s+(?<value>[A-Za-z0-9._~+/=-]{12,})/dgiu;
const USER_FLAG =
  /(?<=\b(?:curl|wget|http|xh)\b[^\n|;]{0,500}\s(?:-u|--user)[ =]?["']?[^\s:"']{1,100}:)(?<value>[^\s"']{3,})/dgu;
const NETRC = /\blogin\s+\S{1,100}\s+password\s+(?<value>\S{3,})/dgu;

/** Credentials after the name of their scheme. Encoded ones mix cases or contain digits; "basic configuration" does not. */
function findCredentials(text: string): Finding[] {
  const isEncoded = (value: string): boolean =>
    /[0-9=]|[a-z][A-Z]/u.test(value) && !/^[\w-]+\.(?:md|html?|ts|js)$/u.test(value);
  return [
    ...findAll(text, SCHEME, 'credentials', isEncoded),
    ...findAll(text, USER_FLAG, 'password', (value) => !isOrdinaryValue(value)),
    ...findAll(text, NETRC, 'password', (value) => !isOrdinaryValue(value)),
  ];
}

const COOKIES = /\b(?:set-)?cookie\\?["']?\s?[:=]\s?\\?["']?(?<value>[^\s"'=;,]{1,100}=[^\r\n"']+)/dgiu;

function findCookies(text: string): Finding[] {
  return findAll(text, COOKIES, 'cookie', (value) => !isPlaceholder(value.slice(value.indexOf('=') + 1)));
}

/** `--password value`, and the flags of database clients that take it without a space. In arguments of a process a NUL separates them. */
const FLAG =
  /(?<=^|[\s"'`[(,\0])--?(?<name>[A-Za-z][\w-]{0,63})(?:["'],? ?["']|[ \0]["']?)(?<value>[^\s"'`\0]{1,400})/dgu;
const ATTACHED =
  /(?<=\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|;]{0,300}[\s\0]-p)(?<value>[^\s\0"'-][^\s\0"']*)/dgu;

function findFlags(text: string): Finding[] {
  const found = findAll(text, ATTACHED, 'password', (value) => !isPlaceholder(value));
  for (const match of text.matchAll(FLAG)) {
    const { name = '', value = '' } = match.groups ?? {};
    const range = match.indices?.groups?.value;
    const isArgument = text.includes('\0');
    const isLikely = isArgument
      ? !isPlaceholder(value)
      : !isOrdinaryValue(trimEnd(value)) && value.length >= 3;
    if (range && isSecretName(name) && !value.startsWith('-') && isLikely) {
      found.push({ kind: kindOf(name), start: range[0], end: range[0] + trimEnd(value).length });
    }
  }
  return found;
}

/** A name, perhaps of several words and perhaps quoted, and the sign after it. */
const NAME =
  /(?<!\w)(?<quote>\\*["'`])?(?<name>(?:[A-Za-z]+ ){0,2}[A-Za-z_][\w.-]{0,99})(?:(?<=\k<quote>)|\k<quote>)?(?<sign>\s{0,20}(?:=>|:=|[:=])(?!=)\s{0,20})/dgu;

/** `PASSWORD=…`, `password: …`, `"password": "…"`, `secret = '…'`. */
function findAssignments(text: string): Finding[] {
  const found: Finding[] = [];
  NAME.lastIndex = 0;
  for (let match = NAME.exec(text); match; match = NAME.exec(text)) {
    const { name = '', sign = '', quote } = match.groups ?? {};
    const valueStart = NAME.lastIndex;
    // What follows a name may itself be an assignment: `url: token=…`.
    if (!isSecretName(name)) {
      NAME.lastIndex = valueStart - sign.length + sign.trimEnd().length;
      continue;
    }
    const value = readValue(text, valueStart);
    const assignment = {
      sign,
      isNameQuoted: quote !== undefined,
      isWholeLine: isWholeLine(text, match.index, value),
    };
    if (value && isAssignedSecret(name, value, assignment)) {
      found.push({ kind: kindOf(name), start: value.start, end: value.end });
      NAME.lastIndex = value.end;
    }
  }
  return found;
}

interface ReadValue {
  readonly text: string;
  readonly isQuoted: boolean;
  readonly start: number;
  readonly end: number;
}

const OPENING = /(?<escape>\\*)(?<quote>["'`])/uy;
const PLAIN = /[^\s"'`,;&|<>\0)\]}]{1,512}/uy;
const MAX_QUOTED_CHARACTERS = 1024;

function readValue(text: string, at: number): ReadValue | undefined {
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text);
  if (opening) {
    const start = OPENING.lastIndex;
    const end = findClosing(text, start, opening.groups?.escape?.length ?? 0, opening.groups?.quote ?? '"');
    return { text: text.slice(start, end), isQuoted: true, start, end };
  }
  PLAIN.lastIndex = at;
  const plain = PLAIN.exec(text);
  if (!plain) return undefined;
  const value = trimEnd(plain[0]);
  return { text: value, isQuoted: false, start: at, end: at + value.length };
}

/** Finds the end of a quoted text: the next quote that is escaped as often as the opening one, else the end of the line. */
function findClosing(text: string, start: number, escapes: number, quote: string): number {
  const lineEnd = text.indexOf('\n', start);
  const limit = Math.min(lineEnd === -1 ? text.length : lineEnd, start + MAX_QUOTED_CHARACTERS);
  for (let at = text.indexOf(quote, start); at !== -1 && at < limit; at = text.indexOf(quote, at + 1)) {
    let before = at;
    while (before > start && text[before - 1] === '\\') before -= 1;
    if (at - before <= escapes) return before;
  }
  return limit;
}

interface Assignment {
  readonly sign: string;
  readonly isNameQuoted: boolean;
  readonly isWholeLine: boolean;
}

function isAssignedSecret(
  name: string,
  value: ReadValue,
  { sign, isNameQuoted, isWholeLine }: Assignment,
): boolean {
  if (isOrdinaryValue(value.text)) return false;
  if (value.isQuoted) return isNameQuoted || value.text.length >= 4;
  if (isReference(value.text) || value.text.length < 4) return false;
  const isHeader = /^(?:proxy-)?authorization$/iu.test(name);
  if (isHeader || /^pass$/iu.test(name)) return looksGenerated(value.text);
  if (sign === '=') return true;
  return (
    looksGenerated(value.text) || (isWholeLine && value.text.length >= 6 && !/[a-z][A-Z]/u.test(value.text))
  );
}

/** Tells whether an assignment is alone on its line, as in YAML and INI files. */
function isWholeLine(text: string, start: number, value: ReadValue | undefined): boolean {
  if (!value) return false;
  const before = text.slice(Math.max(0, start - 40), start);
  const after = text.slice(value.end, value.end + 200);
  return /(?:^|\n)[ \t]*(?:- |export |set )?$/u.test(before) && /^[ \t]*(?:#.*)?(?:\r?\n|$)/u.test(after);
}

/** A sentence may end right after a secret. */
function trimEnd(value: string): string {
  let end = value.length;
  while (end > 0 && '.,:;!?'.includes(value[end - 1] ?? '')) end -= 1;
  return value.slice(0, end);
}

function kindOf(name: string): string {
  const [kind = 'secret'] = /pass|pwd|token|secret|key|cookie|credential|authorization/iu.exec(name) ?? [];
  return /^(?:pass|pwd)$/iu.test(kind) ? 'password' : kind.toLowerCase();
}

function findAll(
  text: string,
  pattern: RegExp,
  kind: string,
  accepts: (value: string) => boolean,
): Finding[] {
  const found: Finding[] = [];
  for (const match of text.matchAll(pattern)) {
    const range = match.indices?.groups?.value;
    if (range && accepts(text.slice(...range))) found.push({ kind, start: range[0], end: range[1] });
  }
  return found;
}
