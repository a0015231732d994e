/** A piece of scanned text, in order. Content is emitted in chunks as it arrives. */
export type TagPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly slot: string; readonly attributes: Readonly<Record<string, string>> }
  | { readonly kind: 'content'; readonly slot: string; readonly text: string }
  | { readonly kind: 'close'; readonly slot: string };

/** The longest start of a tag, with its attributes. */
const MAX_TAG_CHARACTERS = 16_384;

/**
 * Finds a session's tags in chunked text. Tags are matched as substrings, not parsed as XML: a tag is `<ai-agent-NONCE-SLOT …>` up to
 * `</ai-agent-NONCE-SLOT>`, and text without the nonce is never a tag.
 *
 * The scanner is either outside tags, where it searches for a tag, or inside a slot, where it searches for the end of that slot. A
 * suffix of the text that may be the start of a match is buffered until the next chunk, so that the joined pieces do not depend on
 * chunk boundaries.
 */
export class TagScanner {
  readonly #opening: string;
  readonly #closing: string;
  readonly #emit: (piece: TagPiece) => void;
  #buffer = '';
  #slot: string | undefined;
  /** The last characters of the emitted text, up to the length of a tag's opening. */
  #lastText = '';

  constructor(nonce: string, emit: (piece: TagPiece) => void) {
    this.#opening = `<ai-agent-${nonce}-`;
    this.#closing = `</ai-agent-${nonce}-`;
    this.#emit = emit;
  }

  /** Scans the next chunk. */
  push(chunk: string): void {
    this.#buffer += chunk;
    while (this.#slot === undefined ? this.#scanOutside() : this.#scanInside(this.#slot));
  }

  /** Ends the input. Buffered text is emitted as text, unless it is a partial tag. */
  end(): void {
    const rest = this.#buffer;
    this.#buffer = '';
    if (this.#slot === undefined) {
      if (!rest.startsWith(this.#opening) && !rest.startsWith(this.#closing)) this.#text(rest);
      return;
    }
    const isPartialClosingTag = rest.length > 2 && `${this.#closing}${this.#slot}>`.startsWith(rest);
    if (!isPartialClosingTag) this.#content(this.#slot, rest);
  }

  /** Returns whether the buffer may contain more pieces. */
  #scanOutside(): boolean {
    const start = firstIndexOf(this.#buffer, [this.#opening, this.#closing]);
    this.#text(this.#take(start ?? partialMatchStart(this.#buffer, [this.#opening, this.#closing])));
    if (start === undefined) return false;
    const end = this.#buffer.indexOf('>');
    if (end === -1 || end > MAX_TAG_CHARACTERS) return this.#skipLongTag();
    this.#separateText();
    const header = this.#take(end + 1);
    // Ignores a closing tag without an opening tag.
    if (header.startsWith(this.#closing)) return true;
    const slot = /^[0-9A-Z]+(?=[\s/>])/u.exec(header.slice(this.#opening.length))?.[0];
    if (slot === undefined) return true;
    this.#slot = slot;
    this.#emit({ kind: 'open', slot, attributes: parseAttributes(header) });
    return true;
  }

  /** Removes the start of a tag that is too long to be one: buffering it would scan it again with each chunk. */
  #skipLongTag(): boolean {
    if (this.#buffer.length <= MAX_TAG_CHARACTERS) return false;
    this.#separateText();
    this.#take(this.#opening.length);
    return true;
  }

  #scanInside(slot: string): boolean {
    const closing = `${this.#closing}${slot}>`;
    // A report may quote other tags; in any other slot an opening tag means that the slot was not closed.
    const reopening = slot === 'FINAL' ? `${this.#opening}FINAL` : this.#opening;
    const stop = firstIndexOf(this.#buffer, [closing, reopening]);
    this.#content(slot, this.#take(stop ?? partialMatchStart(this.#buffer, [closing, reopening])));
    if (stop === undefined) return false;
    if (this.#buffer.startsWith(closing)) {
      this.#take(closing.length);
      this.#emit({ kind: 'close', slot });
    }
    this.#slot = undefined;
    return true;
  }

  #take(length: number): string {
    const taken = this.#buffer.slice(0, length);
    this.#buffer = this.#buffer.slice(length);
    return taken;
  }

  /** Inserts a space where a tag is removed if the joined text could otherwise form a new tag. */
  #separateText(): void {
    if (partialMatchStart(this.#lastText, [this.#opening]) < this.#lastText.length) this.#text(' ');
  }

  #text(text: string): void {
    if (text === '') return;
    this.#lastText = `${this.#lastText}${text}`.slice(-this.#opening.length);
    this.#emit({ kind: 'text', text });
  }

  #content(slot: string, text: string): void {
    if (text !== '') this.#emit({ kind: 'content', slot, text });
  }
}

/** Searches for all needles in one pass: searching the whole text for each of them takes quadratic time in a text of many tags. */
function firstIndexOf(text: string, needles: readonly string[]): number | undefined {
  const index = text.search(new RegExp(needles.map(escapePattern).join('|'), 'u'));
  return index === -1 ? undefined : index;
}

function escapePattern(text: string): string {
  return text.replaceAll(
    /[^0-9A-Za-z]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Returns the start of the longest suffix that is a prefix of one of the needles, or the length of the text. */
function partialMatchStart(text: string, needles: readonly string[]): number {
  const longest = Math.max(...needles.map(({ length }) => length)) - 1;
  for (let start = Math.max(0, text.length - longest); start < text.length; start += 1) {
    const tail = text.slice(start);
    if (needles.some((needle) => needle.startsWith(tail))) return start;
  }
  return text.length;
}

function parseAttributes(header: string): Record<string, string> {
  const pairs = [...header.matchAll(/\s([a-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gu)];
  return Object.fromEntries(pairs.map(([, name = '', double, single]) => [name, double ?? single ?? '']));
}
