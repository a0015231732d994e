/** Cuts a stream of bytes into lines. A line of any length is copied once, however small the pieces are in which it comes. */
export class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Gives the lines that a piece completes, without their ends; nothing when a line is longer than is read. */
  push(piece: Buffer): readonly string[] | undefined {
    const lines: string[] = [];
    let start = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, start)) {
      if (!this.#keep(piece.subarray(start, end))) return undefined;
      lines.push(this.#take());
      start = end + 1;
    }
    return this.#keep(piece.subarray(start)) ? lines : undefined;
  }

  #keep(piece: Buffer): boolean {
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) return false;
    if (piece.length > 0) this.#pieces.push(piece);
    return true;
  }

  #take(): string {
    const line = Buffer.concat(this.#pieces, this.#size);
    this.#pieces = [];
    this.#size = 0;
    return line.toString('utf8', 0, line.at(-1) === 13 ? line.length - 1 : line.length);
  }
}
