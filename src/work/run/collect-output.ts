/** Collects the beginning and the end of an output of any length, and reports how many bytes were omitted between them. */
export function collectOutput(maxBytes: number) {
  const half = Math.floor(maxBytes / 2);
  const head: Uint8Array[] = [];
  let headBytes = 0;
  let tail: Uint8Array[] = [];
  let tailBytes = 0;
  let dropped = 0;
  const trim = (): void => {
    const all = Buffer.concat(tail);
    const kept = all.subarray(Math.max(0, all.length - half));
    dropped += all.length - kept.length;
    tail = [kept];
    tailBytes = kept.length;
  };
  return {
    push: (chunk: Uint8Array): void => {
      const first = chunk.subarray(0, half - headBytes);
      if (first.length > 0) {
        head.push(new Uint8Array(first));
        headBytes += first.length;
      }
      const rest = chunk.subarray(first.length);
      if (rest.length === 0) return;
      tail.push(new Uint8Array(rest));
      tailBytes += rest.length;
      if (tailBytes > 2 * half) trim();
    },
    text: (): string => {
      if (tailBytes > half) trim();
      const gap = dropped > 0 ? `\n… ${dropped} bytes left out …\n` : '';
      return Buffer.concat(head).toString('utf8') + gap + Buffer.concat(tail).toString('utf8');
    },
  };
}
