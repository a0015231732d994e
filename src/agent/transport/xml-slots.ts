/** Numbers the slots of a session. Numbering continues across turns, so that each slot is used once. */
export class XmlSlots {
  readonly nonce: string;
  /** The first slot of this turn. */
  #first: number;
  readonly #used = new Set<number>();

  constructor(nonce: string, first = 1) {
    this.nonce = nonce;
    this.#first = first;
  }

  /** The first unused slot. */
  get next(): number {
    return Math.max(this.#first - 1, ...this.#used) + 1;
  }

  /** Starts a turn and returns its slots. */
  offer(count: number): readonly string[] {
    this.#first = this.next;
    this.#used.clear();
    return Array.from({ length: count }, (_, index) => `${this.nonce}-${pad(this.#first + index)}`);
  }

  /** Marks a slot as used; returns false for an invalid or used slot. */
  use(slot: string): boolean {
    const number = Number(slot);
    if (!/^\d{4,6}$/u.test(slot) || number < this.#first || this.#used.has(number)) return false;
    this.#used.add(number);
    return true;
  }
}

function pad(slot: number): string {
  return String(slot).padStart(4, '0');
}
