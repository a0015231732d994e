import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTruncation, truncateResponse } from './truncate-response.ts';

describe('a truncated response', () => {
  it(
    'never exceeds its limit, never splits a character, and reports correct sizes',
    { timeout: 30_000 },
    () => {
      fc.assert(
        fc.property(
          fc.string({ unit: 'grapheme', minLength: 40, maxLength: 600, size: 'max' }),
          fc.integer({ min: 120, max: 700 }),
          (text, limit) => {
            const { text: kept, truncated, originalBytes } = truncateResponse(text, limit);
            expect(originalBytes).toBe(Buffer.byteLength(text));
            expect(truncated).toBe(originalBytes > limit);
            expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(
              Math.max(limit, truncated ? 0 : originalBytes),
            );
            expect(readTruncation(kept)).toBe(
              truncated ? kept.slice('[TRUNCATED] '.length, kept.indexOf('\n')) : undefined,
            );
            if (!truncated) {
              expect(kept).toBe(text);
              return;
            }
            const [notice = '', ...rest] = kept.split('\n');
            const content = rest.join('\n');
            expect(notice).toBe(
              `[TRUNCATED] Original size ${originalBytes} bytes; truncated to ${Buffer.byteLength(content)} bytes.`,
            );
            expect(text.startsWith(content)).toBe(true);
          },
        ),
      );
    },
  );
});
