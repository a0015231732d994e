/** Makes an unguessable id of 128 random bits, as hex. */
export function randomId(): string {
  return randomHex(16);
}

/** Draws bytes that nobody can guess, as hex. The global is used because it costs nothing before the first draw. */
export function randomHex(byteCount: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(byteCount))).toString('hex');
}
