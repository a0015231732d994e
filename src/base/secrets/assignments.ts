/** Secrets in running text that are assigned to a name: `PASSWORD=…`, `password: …`, `"password": "…"`, `secret = '…'`, `env["TOKEN"] == "…"`. */
import {
  isGeneratedIdentifier,
  isGeneratedWord,
  isOrdinaryValue,
  isPlaceholder,
  isReference,
  looksGenerated,
} from './ordinary-value.ts';
import { isActionName, isIdentifierName, isSecretName, kindOfName } from './secret-name.ts';
import type { SecretFinding } from './secret-finding.ts';
import { readList } from './read-list.ts';
import { readAfterType, readValue, type ReadValue } from './read-value.ts';

/** A name, perhaps of several words and perhaps quoted, and the operator after it. Created at each use: it is stateful. Fifteen backslashes are four levels of JSON. Only a whole word is tried as a name: a part of it is never followed by an operator. */
const createNamePattern = (): RegExp =>
  /(?<!\w)(?<quote>\\{0,15}["'`])?(?<name>(?:[A-Za-z]+ ){0,2}[A-Za-z_][\w.-]{0,99})(?![\w.-])(?:(?<=\k<quote>)|\k<quote>)?(?<bracket>\])?\*{0,3}(?<operator>\s{0,20}(?:=>|(?<=\s)(?:->|→|⇒)(?=\s)|:=|\|\|=|\?\?=|\?=|[!=]={1,2}|[:=])(?!=)\s{0,20})/dgu;

export function findAssignments(text: string): SecretFinding[] {
  const found: SecretFinding[] = [];
  const names = createNamePattern();
  for (let match = names.exec(text); match; match = names.exec(text)) {
    const { name = '', operator = '', quote, bracket } = match.groups ?? {};
    const valueStart = names.lastIndex;
    // What follows a name may itself be an assignment: `url: token=…`.
    if (!isSecretName(name)) {
      names.lastIndex = valueStart - operator.length + operator.trimEnd().length;
      continue;
    }
    if (isPathPart(text, match.index, name, operator)) continue;
    const listed = readList(text, valueStart).filter(
      ({ text: item }) => !isOrdinaryValue(item) && item.length >= 4,
    );
    if (listed.length > 0 && !isIdentifierName(name) && !isActionName(name)) {
      found.push(...listed.map(({ start, end }) => ({ kind: kindOfName(name), start, end })));
      names.lastIndex = listed.at(-1)?.end ?? valueStart;
      continue;
    }
    const direct = readValue(text, valueStart);
    const value =
      direct && (direct.isQuoted || isText(direct.text))
        ? direct
        : (readAfterType(text, valueStart) ?? direct);
    const assignment = {
      operator,
      isNameQuoted: quote !== undefined,
      isSubscript: bracket !== undefined,
      isInQuery: /[?&]/u.test(text[match.index - 1] ?? ''),
      isWholeLine: isWholeLine(text, match.index, value),
    };
    if (value && isAssignedSecret(name, value, assignment)) {
      const end = value.isQuoted || assignment.isInQuery ? value.end : endOfLine(text, match.index, value);
      found.push({ kind: kindOfName(name), start: value.start, end });
      names.lastIndex = end;
    }
  }
  return found;
}

/** Tells whether an unquoted value is a text or can be one, rather than a type, a keyword or a reference. */
function isText(value: string): boolean {
  if (/^[A-Z][A-Za-z]*$/u.test(value)) return false;
  return isPlaceholder(value) || (!isOrdinaryValue(value) && !isReference(value));
}

/** Tells whether a name is one part of several between colons, as in the name of a cloud resource. */
function isPathPart(text: string, start: number, name: string, operator: string): boolean {
  return operator === ':' && text[start - 1] === ':' && !name.includes(' ');
}

interface Assignment {
  readonly operator: string;
  readonly isNameQuoted: boolean;
  /** Whether the name is in brackets, as in `user[password]=…`. */
  readonly isSubscript: boolean;
  /** Whether the name follows a `?` or `&`, as in `user=me&pass=…`. */
  readonly isInQuery: boolean;
  readonly isWholeLine: boolean;
}

function isAssignedSecret(
  name: string,
  value: ReadValue,
  { operator, isNameQuoted, isSubscript, isInQuery, isWholeLine }: Assignment,
): boolean {
  if (isOrdinaryValue(value.text)) return false;
  // Cookies are pairs; a separate pattern finds them.
  if (/cookies?$/iu.test(name)) return false;
  if (/^(?:authorization|credentials?)$/iu.test(name) && !looksGenerated(value.text)) return false;
  if (isIdentifierName(name)) return isGeneratedIdentifier(value.text);
  if (isActionName(name)) return isGeneratedWord(value.text);
  if (/[!=]=/u.test(operator)) return value.isQuoted && isGeneratedWord(value.text);
  // `cache[token] = found` uses a variable.
  if (isSubscript && !isNameQuoted)
    return (
      (value.isQuoted || /^\s*=>|^=$/u.test(operator)) &&
      !isReference(value.text) &&
      isGeneratedWord(value.text)
    );
  // `pass: 12` counts tests.
  if (/^pass$/iu.test(name)) {
    const isSetting = value.isQuoted || isInQuery || (isWholeLine && value.text.length >= 8);
    return isSetting && /[A-Za-z]/u.test(value.text) && looksGenerated(value.text);
  }
  if (value.isQuoted) return isNameQuoted || value.text.length >= 4;
  if (isReference(value.text) || value.text.length < 4) return false;
  // `Client(api_key=api_key)` passes a variable.
  if (isSecretName(value.text) && !/[0-9]/u.test(value.text)) return false;
  // Arrows have many meanings, so the value must look like a secret.
  if (/[>→⇒]/u.test(operator) && !operator.includes('='))
    return value.text.length >= 8 && /[0-9]/u.test(value.text);
  if (operator === '=') return true;
  return (
    looksGenerated(value.text) || (isWholeLine && value.text.length >= 6 && !/[a-z][A-Z]/u.test(value.text))
  );
}

/** Extends a value that contains `&` to its end, unless what follows is the next pair of a query. */
function endOfLine(text: string, start: number, value: ReadValue): number {
  const isFirst = /(?:^|\n)[ \t]*(?:export |set )?$/u.test(text.slice(Math.max(0, start - 40), start));
  const rest = /^&[^\s"'`=]{1,200}(?=\s|$)/u.exec(text.slice(value.end, value.end + 210));
  return isFirst && rest ? value.end + rest[0].length : value.end;
}

/** Tells whether an assignment is alone on its line, as in YAML and INI files. */
function isWholeLine(text: string, start: number, value: ReadValue | undefined): boolean {
  if (!value) return false;
  const before = text.slice(Math.max(0, start - 40), start);
  const after = text.slice(value.end, value.end + 200);
  return /(?:^|\n)[ \t]*(?:- |export |set )?$/u.test(before) && /^[ \t]*(?:#.*)?(?:\r?\n|$)/u.test(after);
}
