/** What a scanner finds, in order. Content comes in as many pieces as the text did. */
export type TagPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly slot: string; readonly attributes: Readonly<Record<string, string>> }
  | { readonly kind: 'content'; readonly slot: string; readonly text: string }
  | { readonly kind: 'close'; readonly slot: string };

/**
 * Finds a session's tags in text that arrives in chunks. Tags are found as substrings, there is no XML here: a tag is
 * `<ai-agent-NONCE-SLOT …>` up to `</ai-agent-NONCE-SLOT>`, and text without the nonce is never a tag.
 *
 * It is either outside, where it looks for a tag, or inside a slot, where it looks for the end of that slot. The end of a chunk that
 * could be the beginning of what it looks for is held back until more is known. So the pieces, joined, are the same however the chunks
 * fall.
 */
export class TagScanner {
  readonly #opening: string;
  readonly #closing: string;
  readonly #emit: (piece: TagPiece) => void;
  #buffer = '';
  #slot: string | undefined;
  /** The end of the text so far, as long as a tag's beginning. */
  #lastText = '';

  constructor(nonce: string, emit: (piece: TagPiece) => void) {
    this.#opening = `<ai-agent-${nonce}-`;
    this.#closing = `</ai-agent-${nonce}-`;
    this.#emit = emit;
  }

  push(chunk: string): void {
    this.#buffer += chunk;
    while (this.#slot === undefined ? this.#scanOutside() : this.#scanInside(this.#slot));
  }

  /** Says that nothing more comes. What could have become a tag turns out to be text, unless it is a tag cut short. */
  end(): void {
    const rest = this.#buffer;
    this.#buffer = '';
    if (this.#slot === undefined) {
      if (!rest.startsWith(this.#opening) && !rest.startsWith(this.#closing)) this.#text(rest);
      return;
    }
    const cutShort = rest.length > 2 && `${this.#closing}${this.#slot}>`.startsWith(rest);
    if (!cutShort) this.#content(this.#slot, rest);
  }

  /** Tells whether there is more to scan in what is at hand. */
  #scanOutside(): boolean {
    const start = firstOf(this.#buffer, [this.#opening, this.#closing]);
    this.#text(this.#take(start ?? heldBack(this.#buffer, [this.#opening, this.#closing])));
    if (start === undefined) return false;
    const end = this.#buffer.indexOf('>');
    if (end === -1) return false;
    this.#keepHalvesApart();
    const header = this.#take(end + 1);
    // The end of a tag that never began tells nothing.
    if (header.startsWith(this.#closing)) return true;
    const slot = /^[0-9A-Z]+(?=[\s/>])/u.exec(header.slice(this.#opening.length))?.[0];
    if (slot === undefined) return true;
    this.#slot = slot;
    this.#emit({ kind: 'open', slot, attributes: parseAttributes(header) });
    return true;
  }

  #scanInside(slot: string): boolean {
    const closing = `${this.#closing}${slot}>`;
    // A report may quote other tags; elsewhere any tag that opens shows that this one was left open.
    const reopening = slot === 'FINAL' ? `${this.#opening}FINAL` : this.#opening;
    const stop = firstOf(this.#buffer, [closing, reopening]);
    this.#content(slot, this.#take(stop ?? heldBack(this.#buffer, [closing, reopening])));
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

  /** The text around a tag is joined when the tag is taken out: two halves must not become a tag that was never written. */
  #keepHalvesApart(): void {
    if (heldBack(this.#lastText, [this.#opening]) < this.#lastText.length) this.#text(' ');
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

function firstOf(text: string, needles: readonly string[]): number | undefined {
  const found = needles.map((needle) => text.indexOf(needle)).filter((index) => index !== -1);
  return found.length === 0 ? undefined : Math.min(...found);
}

/** Where the longest end of the text begins that one of the needles could begin with. */
function heldBack(text: string, needles: readonly string[]): number {
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
