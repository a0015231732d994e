const LINE_FEED = 10;

/**
 * Splits a stream of bytes into lines. Only a line feed ends a line, because JSON text may contain other line separators. Each line is
 * copied once, for any chunk size; a line longer than the limit is skipped. Contract: chunks must not be modified after `push`.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onOverflow: () => void;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #overflowed = false;

  /** `onOverflow` is called once for each line that is skipped, as soon as it is too long. */
  constructor(maxBytes = Number.POSITIVE_INFINITY, onOverflow: () => void = () => undefined) {
    this.#maxBytes = maxBytes;
    this.#onOverflow = onOverflow;
  }

  /** Whether a line was longer than the limit. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** Returns the lines that a chunk completes, without their line feeds. */
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

  /** Returns the text after the last line feed, if any. */
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
    const wasWhole = this.#size <= this.#maxBytes;
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) {
      this.#overflowed = true;
      this.#pieces = [];
      if (wasWhole) this.#onOverflow();
    } else if (piece.length > 0) this.#pieces.push(piece);
  }
}
