/** Secrets in running text that are assigned to a name: `PASSWORD=…`, `password: …`, `"password": "…"`, `secret = '…'`. */
import {
  isGeneratedIdentifier,
  isOrdinaryValue,
  isPlaceholder,
  isReference,
  looksGenerated,
} from './ordinary-value.ts';
import { isIdentifierName, isSecretName, kindOfName } from './secret-name.ts';
import type { Finding } from './finding.ts';

/** A name, perhaps of several words and perhaps quoted, and the sign after it. Created at each use: it is stateful. */
const createNamePattern = (): RegExp =>
  /(?<!\w)(?<quote>\\*["'`])?(?<name>(?:[A-Za-z]+ ){0,2}[A-Za-z_][\w.-]{0,99})(?:(?<=\k<quote>)|\k<quote>)?(?<sign>\s{0,20}(?:=>|:=|[:=])(?!=)\s{0,20})/dgu;

export function findAssignments(text: string): Finding[] {
  const found: Finding[] = [];
  const names = createNamePattern();
  for (let match = names.exec(text); match; match = names.exec(text)) {
    const { name = '', sign = '', quote } = match.groups ?? {};
    const valueStart = names.lastIndex;
    // What follows a name may itself be an assignment: `url: token=…`.
    if (!isSecretName(name)) {
      names.lastIndex = valueStart - sign.length + sign.trimEnd().length;
      continue;
    }
    if (isPathPart(text, match.index, sign)) continue;
    const direct = readValue(text, valueStart);
    const value =
      direct && (direct.isQuoted || isText(direct.text))
        ? direct
        : (readLaterText(text, valueStart) ?? direct);
    const assignment = {
      sign,
      isNameQuoted: quote !== undefined,
      isInQuery: /[?&]/u.test(text[match.index - 1] ?? ''),
      isWholeLine: isWholeLine(text, match.index, value),
    };
    if (value && isAssignedSecret(name, value, assignment)) {
      found.push({ kind: kindOfName(name), start: value.start, end: value.end });
      names.lastIndex = value.end;
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

const MAX_QUOTED_CHARACTERS = 1024;
const MAX_BLOCK_CHARACTERS = 8192;

function readValue(text: string, at: number): ReadValue | undefined {
  // A quote, perhaps escaped, perhaps with a letter or sign before it as in `b'…'`, `N'…'` and `@"…"`.
  const opening = matchAt(/(?:(?:[bruflN]{1,2}|[@$])(?=["']))?(?<escape>\\*)(?<quote>["'`])/uy, text, at);
  if (opening) {
    const { escape = '', quote = '"' } = opening.groups ?? {};
    const start = at + opening[0].length;
    const end = findClosing(text, start, escape.length, quote);
    return { text: text.slice(start, end), isQuoted: true, start, end };
  }
  const block = readBlock(text, at);
  if (block) return block;
  const plain = matchAt(/[^\s"'`,;&|<>\0)\]}]{1,512}/uy, text, at);
  if (!plain) return undefined;
  const value = trimEnd(plain[0]);
  return { text: value, isQuoted: false, start: at, end: at + value.length };
}

/** Reads a block of YAML: `password: >-` with the value on the lines below it, which are indented. */
function readBlock(text: string, at: number): ReadValue | undefined {
  const opening = matchAt(/[|>][-+0-9]{0,2}[ \t]{0,20}\r?\n(?<indent>[ \t]{1,40})/uy, text, at);
  if (!opening) return undefined;
  const { indent = '' } = opening.groups ?? {};
  const start = at + opening[0].length;
  const part = text.slice(start, start + MAX_BLOCK_CHARACTERS);
  let end = findLineEnd(part, 0);
  while (part.startsWith(`\n${indent}`, end)) end = findLineEnd(part, end + 1);
  const value = part.slice(0, end).trimEnd();
  return { text: value, isQuoted: true, start, end: start + value.length };
}

function findLineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** Reads what follows a type or a reference: `api_token: &str = "…"`, `process.env.SECRET || '…'`. */
function readLaterText(text: string, at: number): ReadValue | undefined {
  const sign = matchAt(/[^\n"'`;,=|?]{0,80}(?:=|\|\||\?\?|\bor\b)\s{0,4}(?=[bruf]{0,2}["'`])/uy, text, at);
  return sign ? readValue(text, at + sign[0].length) : undefined;
}

/** Matches a sticky pattern at a place in a text. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Tells whether an unquoted value is a text, or stands for one, rather than a type, a keyword or a reference. */
function isText(value: string): boolean {
  return isPlaceholder(value) || (!isOrdinaryValue(value) && !isReference(value));
}

/** Tells whether a name is one part of several between colons, as in the name of a cloud resource. */
function isPathPart(text: string, start: number, sign: string): boolean {
  return sign === ':' && text[start - 1] === ':';
}

/** Finds the end of a quoted text: the next quote that is escaped as often as the opening one, else the end of the line. */
function findClosing(text: string, start: number, escapes: number, quote: string): number {
  // Only this part is searched: a long line with many quoted texts would take too long.
  const part = text.slice(start, start + MAX_QUOTED_CHARACTERS);
  const line = part.slice(0, findLineEnd(part, 0));
  for (let at = line.indexOf(quote); at !== -1; at = line.indexOf(quote, at + 1)) {
    let before = at;
    while (before > 0 && line[before - 1] === '\\') before -= 1;
    if (at - before <= escapes) return start + before;
  }
  return start + line.length;
}

interface Assignment {
  readonly sign: string;
  readonly isNameQuoted: boolean;
  /** Whether the name follows a `?` or `&`, as in `user=me&pass=…`. */
  readonly isInQuery: boolean;
  readonly isWholeLine: boolean;
}

function isAssignedSecret(
  name: string,
  value: ReadValue,
  { sign, isNameQuoted, isInQuery, isWholeLine }: Assignment,
): boolean {
  if (isOrdinaryValue(value.text)) return false;
  // Cookies are pairs; a pattern of their own finds them.
  if (/cookies?$/iu.test(name)) return false;
  if (/^(?:authorization|credentials?)$/iu.test(name) && !looksGenerated(value.text)) return false;
  if (isIdentifierName(name)) return isGeneratedIdentifier(value.text);
  // `pass: 12` counts tests.
  if (/^pass$/iu.test(name)) {
    const isPassword = looksGenerated(value.text) && /[A-Za-z]/u.test(value.text);
    return isPassword && (value.isQuoted || isInQuery || (isWholeLine && value.text.length >= 8));
  }
  if (value.isQuoted) return isNameQuoted || value.text.length >= 4;
  if (isReference(value.text) || value.text.length < 4) return false;
  // `Client(api_key=api_key)` passes a variable.
  if (isSecretName(value.text) && !/[0-9]/u.test(value.text)) return false;
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
