/** A tool response after truncation. */
export interface Truncation {
  readonly text: string;
  readonly originalBytes: number;
  readonly truncated: boolean;
}

/** Truncates a response to a number of bytes, including the notice, without splitting a character. */
export function truncateResponse(response: string, maxBytes: number): Truncation {
  const bytes = Buffer.from(response);
  if (bytes.length <= maxBytes) return { text: response, originalBytes: bytes.length, truncated: false };
  // The notice contains the kept size, so its longest form is reserved.
  const available = Math.max(0, maxBytes - Buffer.byteLength(notice(bytes.length, maxBytes)));
  const kept = wholeCharacters(bytes, available);
  const text = notice(bytes.length, kept.length) + kept.toString('utf8');
  return { text, originalBytes: bytes.length, truncated: true };
}

const TAG = '[TRUNCATED] ';

/** Reads the notice at the start of a truncated response; undefined for a complete response. */
export function readTruncation(text: string): string | undefined {
  return text.startsWith(TAG) ? text.slice(TAG.length, text.indexOf('\n')) : undefined;
}

function notice(originalBytes: number, keptBytes: number): string {
  return `${TAG}Original size ${originalBytes} bytes; truncated to ${keptBytes} bytes.\n`;
}

function wholeCharacters(bytes: Buffer, length: number): Buffer {
  let end = length;
  // Bytes 10xxxxxx are UTF-8 continuation bytes.
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1;
  return bytes.subarray(0, end);
}
