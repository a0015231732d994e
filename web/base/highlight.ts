/** The kinds of tokens that have their own colour. */
export type TokenKind = 'comment' | 'string' | 'keyword' | 'number';

export interface Token {
  readonly text: string;
  readonly kind: TokenKind | undefined;
}

interface Language {
  readonly keywords: ReadonlySet<string>;
  readonly lineComments: readonly string[];
  readonly blockComment: readonly [open: string, close: string] | undefined;
  readonly quotes: string;
  /** Quotes of strings that may continue on the next line. */
  readonly longQuotes: readonly string[];
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const C_LIKE = words(
  'abstract as async await bool boolean break byte case catch char class const constructor continue crate default defer delete do double else enum export extends extern false final finally float fn for from func function get go goto if impl implements import in instanceof int interface internal is lambda let long loop match mod module mut namespace new nil null of open operator out override package private protected pub public readonly ref return satisfies sealed self set short signed sizeof static string struct super switch template this throw throws trait true try type typedef typeof undefined union unsafe unsigned use using var virtual void volatile when where while with yield',
);
const SCRIPT = words(
  'and as assert async await begin break case class continue def del do done elif else elsif end ensure esac except export false False fi finally for from function global if import in is lambda local module nil None nonlocal not null or pass raise require rescue return self set then true True try unless until when while with yield',
);
const SQL = words(
  'add all alter and as asc begin by case check commit constraint create default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null on or order outer primary references right rollback select set table then union unique update using values view when where with',
);

const cLike: Language = {
  keywords: C_LIKE,
  lineComments: ['//'],
  blockComment: ['/*', '*/'],
  quotes: `"'`,
  longQuotes: ['`'],
};
const script: Language = {
  keywords: SCRIPT,
  lineComments: ['#'],
  blockComment: undefined,
  quotes: `"'`,
  longQuotes: ['"""', "'''"],
};
const css: Language = { ...cLike, keywords: words('important'), lineComments: [], longQuotes: [] };
const sql: Language = { ...cLike, keywords: SQL, lineComments: ['--'], longQuotes: [] };
const markup: Language = {
  keywords: new Set(),
  lineComments: [],
  blockComment: ['<!--', '-->'],
  quotes: `"'`,
  longQuotes: [],
};

const LANGUAGES: readonly (readonly [extensions: string, language: Language])[] = [
  ['js jsx mjs cjs ts tsx mts cts java c h cc cpp hpp cs go rs kt swift scala php dart json', cLike],
  ['py rb sh bash zsh yaml yml toml pl r ini dockerfile makefile', script],
  ['css scss less', css],
  ['sql', sql],
  ['html htm xml svg vue', markup],
];

/** The language of a file by its name; undefined for text. */
export function languageOf(path: string): Language | undefined {
  const extension = (path.split('/').at(-1) ?? '').split('.').at(-1)?.toLowerCase() ?? '';
  return LANGUAGES.find(([extensions]) => extensions.split(' ').includes(extension))?.[1];
}

/** What continues on the next line: the end of a comment or string that is still open. */
type Open = { readonly kind: 'comment' | 'string'; readonly close: string } | undefined;

/** Splits lines into tokens. The state of a line is carried to the next one, so that comments over several lines are recognized. */
export function highlightLines(lines: readonly string[], language: Language): readonly (readonly Token[])[] {
  let open: Open;
  return lines.map((line) => {
    const tokens: Token[] = [];
    open = readLine(line, language, open, tokens);
    return tokens;
  });
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /\d[\d_]*(?:\.\d+)?(?:[a-zA-Z]\w*)?/uy;
const OTHER = /[^\p{L}\p{N}_$"'`/#<-]+|./uy;

function readLine(line: string, language: Language, from: Open, tokens: Token[]): Open {
  let open = from;
  let at = 0;
  const add = (end: number, kind: TokenKind | undefined): void => {
    if (end > at) tokens.push({ text: line.slice(at, end), kind });
    at = end;
  };
  while (at < line.length) {
    if (open !== undefined) {
      const end = line.indexOf(open.close, at);
      if (end < 0) {
        add(line.length, open.kind);
        return open;
      }
      add(end + open.close.length, open.kind);
      open = undefined;
      continue;
    }
    const next = startOf(line, at, language);
    if (next === 'rest') add(line.length, 'comment');
    else if (next !== undefined) {
      const end = line.indexOf(next.close, at + next.length);
      if (end < 0 && next.continues) {
        open = { kind: next.kind, close: next.close };
        add(line.length, next.kind);
      } else add(end < 0 ? line.length : endOfString(line, end, next.close), next.kind);
    } else readPlain(line, at, language, add);
  }
  return open;
}

interface Start {
  readonly kind: 'comment' | 'string';
  readonly close: string;
  readonly length: number;
  readonly continues: boolean;
}

/** What starts here: the rest of the line as a comment, a block comment or a string. */
function startOf(line: string, at: number, language: Language): Start | 'rest' | undefined {
  if (language.lineComments.some((mark) => line.startsWith(mark, at))) return 'rest';
  const [open, close] = language.blockComment ?? [];
  if (open !== undefined && close !== undefined && line.startsWith(open, at))
    return { kind: 'comment', close, length: open.length, continues: true };
  const long = language.longQuotes.find((quote) => line.startsWith(quote, at));
  if (long !== undefined) return { kind: 'string', close: long, length: long.length, continues: true };
  const character = line.charAt(at);
  if (!language.quotes.includes(character)) return undefined;
  return { kind: 'string', close: character, length: 1, continues: false };
}

/** A quote after an odd number of backslashes does not end a string. */
function endOfString(line: string, found: number, close: string): number {
  let end = found;
  while (end >= 0 && backslashesBefore(line, end) % 2 === 1) end = line.indexOf(close, end + 1);
  return end < 0 ? line.length : end + close.length;
}

function backslashesBefore(line: string, at: number): number {
  let count = 0;
  while (line.charAt(at - 1 - count) === '\\') count += 1;
  return count;
}

function readPlain(
  line: string,
  at: number,
  { keywords }: Language,
  add: (end: number, kind: TokenKind | undefined) => void,
): void {
  const word = matchAt(WORD, line, at);
  // A member may be named like a keyword.
  const isKeyword = word !== undefined && keywords.has(word) && line.charAt(at - 1) !== '.';
  if (word !== undefined) return add(at + word.length, isKeyword ? 'keyword' : undefined);
  const number = matchAt(NUMBER, line, at);
  if (number !== undefined) return add(at + number.length, 'number');
  return add(at + (matchAt(OTHER, line, at)?.length ?? 1), undefined);
}

function matchAt(pattern: RegExp, line: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0];
}
