const LINE_FEED = 10;

/**
 * Cuts a stream of bytes into lines. Only a line feed ends a line, since JSON text may hold the other line separators. A line of any
 * length is copied once, however small the pieces are in which it comes; one beyond the limit is left out. Contract: pieces stay as they are.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #overflowed = false;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** Whether a line was longer than the limit. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** Gives the lines that a piece completes, without their line feeds. */
  push(piece: Uint8Array): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
      this.#keep(piece.subarray(start, end));
      lines.push(...this.#take());
      start = end + 1;
    }
    this.#keep(piece.subarray(start));
    return lines;
  }

  /** Gives what stands behind the last line end, if anything does. */
  end(): readonly string[] {
    return this.#size === 0 ? [] : this.#take();
  }

  #take(): readonly string[] {
    const isWhole = this.#size <= this.#maxBytes;
    const line = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    return isWhole ? [line.toString('utf8')] : [];
  }

  #keep(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) {
      this.#overflowed = true;
      this.#pieces = [];
    } else if (piece.length > 0) this.#pieces.push(piece);
  }
}
