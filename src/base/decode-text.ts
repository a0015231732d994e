import { Fault } from './fault.ts';

/** Decodes text from outside. Throws a Fault with the offset for invalid UTF-8 and for NUL. */
export function decodeText(bytes: Uint8Array, source: string): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  const offset = findInvalid(buffer, text);
  if (offset !== undefined) throw notText(source, 'is not valid UTF-8', offset, buffer[offset]);
  const nul = buffer.indexOf(0);
  if (nul >= 0) throw notText(source, 'contains a NUL byte', nul, 0);
  return text;
}

const REPLACEMENT = '\uFFFD';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

/** Returns the offset of the first byte that was replaced; the replacement character itself may be in a text. */
function findInvalid(buffer: Buffer, text: string): number | undefined {
  let [offset, from] = [0, 0];
  for (let at = text.indexOf(REPLACEMENT); at >= 0; at = text.indexOf(REPLACEMENT, from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    const end = offset + REPLACEMENT_BYTES.length;
    if (!buffer.subarray(offset, end).equals(REPLACEMENT_BYTES)) return offset;
    [offset, from] = [end, at + 1];
  }
  return undefined;
}

function notText(source: string, problem: string, offset: number, byte = 0): Fault {
  const shown = `0x${byte.toString(16).padStart(2, '0')}`;
  return new Fault('E_VALIDATION', `${source} ${problem}: ${shown} at byte ${offset}.`, {
    hint: 'Convert it to UTF-8 text, for example with iconv.',
    details: { source, offset },
  });
}
