/** Creates an unguessable id of 128 random bits, as hex. */
export function randomId(): string {
  return randomHex(16);
}

/** Generates cryptographically random bytes, as hex. The global `crypto` needs no import that would slow the start. */
export function randomHex(byteCount: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(byteCount))).toString('hex');
}
