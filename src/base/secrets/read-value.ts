/** Reads the value of an assignment in running text: quoted, in a block of YAML, or a plain word. */

/** The value after a name and its `=` or `:`. */
export interface ReadValue {
  readonly text: string;
  readonly isQuoted: boolean;
  readonly start: number;
  readonly end: number;
}

const MAX_QUOTED_CHARACTERS = 1024;
const MAX_BLOCK_CHARACTERS = 8192;

/** Reads the value at a position of a text; undefined if there is none. */
export function readValue(text: string, from: number): ReadValue | undefined {
  const at = from + prefixLength(text, from);
  const literalStart = at + wrapperLength(text, at);
  // A quote, perhaps escaped, perhaps with a prefix as in `b'…'`, `N'…'` and `@"…"`.
  const opening = matchAt(
    /(?:(?:[bruflN]{1,2}|[@$])(?=["']))?(?<escape>\\{0,15})(?<quote>"""|'''|["'`])/uy,
    text,
    literalStart,
  );
  if (opening) {
    const { escape = '', quote = '"' } = opening.groups ?? {};
    const start = literalStart + opening[0].length;
    const end = findClosing(text, start, escape.length, quote);
    return { text: text.slice(start, end), isQuoted: true, start, end };
  }
  const block = readBlock(text, at);
  if (block) return block;
  const plain = matchAt(/[^\s"'`,;&|<>\0)\]}]{1,512}/uy, text, at);
  if (!plain) return undefined;
  const value = trimPunctuation(plain[0]);
  return { text: value, isQuoted: false, start: at, end: at + value.length };
}

/** Returns the length of what may precede a value: a line continuation, a YAML anchor or tag, the end of bold text in Markdown. */
function prefixLength(text: string, at: number): number {
  const signs =
    /(?:\\\r?\n[ \t]{0,40}|&(?!(?:mut|dyn|const|static)\b)[\w-]{1,60}[ \t]{1,4}(?=[^\s=])|!{1,2}[\w-]{1,40}[ \t]{1,4}(?=[^\s=])|(?<=:)\*{1,3}[ \t]{1,4})/uy;
  return matchAt(signs, text, at)?.[0].length ?? 0;
}

/**
 * Returns the length of the calls around a literal that only convert it, such as `[]byte(` and `String::from(`, or 0. Calls that
 * look up a secret do not count: in `getSecret("db")` the literal is a name. `var_dump` of PHP prints the type and length before the value.
 */
function wrapperLength(text: string, at: number): number {
  const wrapper = matchAt(
    /(?:string\([0-9]{1,9}\)\s|(?:new\s|&|\*)?(?:[A-Za-z_][\w.:]{0,60}\(\s{0,4}){0,2}(?:(?:[\w.]{1,60}(?:\(\))?(?:\.|::))?(?:\[\](?:byte|rune)|bytes?|bytearray|[Ss]tring|str|CString|NSString|from|fromString|from_str|fromhex|FromBase64String|DecodeString|b64decode|base64_decode|decodeBase64|atob|unhexlify|encode|getBytes|GetBytes|toBytes|to_bytes|SecretStr|SecretString|SecretBytes|SecretKeySpec|SecureString|StringVal|StringPtr|sensitive|Some|Just|ofNullable)|Secret\w{0,12}(?:::|\.)new|Optional\.of|ptr\.To)\(\s{0,4}(?:String\(\s{0,4})?)(?=[bruflN@$]{0,2}\\{0,15}["'`])/uy,
    text,
    at,
  );
  return wrapper?.[0].length ?? 0;
}

/** Reads a block of YAML: `password: >-` with the value on the indented lines below it. `text` has only the first line, which is enough to decide whether the block is a secret. */
function readBlock(text: string, at: number): ReadValue | undefined {
  const opening = matchAt(/[|>][-+0-9]{0,2}[ \t]{0,20}\r?\n(?<indent>[ \t]{1,40})/uy, text, at);
  if (!opening) return undefined;
  const { indent = '' } = opening.groups ?? {};
  const start = at + opening[0].length;
  const part = text.slice(start, start + MAX_BLOCK_CHARACTERS);
  const firstEnd = findLineEnd(part, 0);
  let end = firstEnd;
  while (part.startsWith(`\n${indent}`, end)) end = findLineEnd(part, end + 1);
  return {
    text: part.slice(0, firstEnd).trimEnd(),
    isQuoted: true,
    start,
    end: start + part.slice(0, end).trimEnd().length,
  };
}

/** Reads the quoted value after a type or a reference: `api_token: &str = "…"`, `process.env.SECRET || '…'`. */
export function readAfterType(text: string, at: number): ReadValue | undefined {
  const sign = matchAt(/[^\n"'`;,=|?]{0,80}(?:=|\|\||\?\?|\bor\b)\s{0,4}/uy, text, at);
  const value = sign ? readValue(text, at + sign[0].length) : undefined;
  return value?.isQuoted ? value : undefined;
}

/** Finds the end of a quoted text: the next quote with at most as many backslashes before it as the opening quote, otherwise the end of the line. */
function findClosing(text: string, start: number, escapes: number, quote: string): number {
  // Only this part is searched: a long line with many quoted texts would take too long.
  const part = text.slice(start, start + MAX_QUOTED_CHARACTERS);
  if (quote.length > 1) {
    const closing = part.indexOf(quote);
    return start + (closing === -1 ? part.length : closing);
  }
  const line = part.slice(0, findLineEnd(part, 0));
  for (let at = line.indexOf(quote); at !== -1; at = line.indexOf(quote, at + 1)) {
    let before = at;
    while (before > 0 && line[before - 1] === '\\') before -= 1;
    if (at - before <= escapes) return start + before;
  }
  return start + line.length;
}

function findLineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** Matches a sticky pattern at a position of a text. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Removes punctuation at the end: the sentence may end right after the secret. */
function trimPunctuation(value: string): string {
  let end = value.length;
  while (end > 0 && '.,:;!?'.includes(value[end - 1] ?? '')) end -= 1;
  return value.slice(0, end);
}
