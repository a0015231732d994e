import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { chunk, decode, SIGNATURE, toPalettePng } from './palette-png.ts';

const [WIDTH, HEIGHT] = [64, 40];

/** A picture as a browser writes it, with the filter that each row names; `colourOf` gives red, green and blue of a pixel. */
function pngOf(colourOf: (x: number, y: number) => readonly [number, number, number]): Buffer {
  const rows = Array.from({ length: HEIGHT }, (_, y) => {
    const row = Array.from({ length: WIDTH }, (_item, x) => colourOf(x, y)).flat();
    // Every second row is stored as differences to the pixel on the left.
    return y % 2 === 0 ? [0, ...row] : [1, ...row.map((value, at) => (value - (row[at - 3] ?? 0)) & 255)];
  });
  const head = Buffer.alloc(13);
  head.writeUInt32BE(WIDTH, 0);
  head.writeUInt32BE(HEIGHT, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const data = deflateSync(Buffer.from(rows.flat()));
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

describe('a picture with a palette', () => {
  it('has the same pixels if it has at most 256 colours', () => {
    const png = pngOf((x, y) => [x * 4, (y % 4) * 60, 7]);
    const small = toPalettePng(png);
    expect(small[25]).toBe(3);
    expect(decode(small)).toEqual(decode(png));
  });

  it('keeps surfaces exact and other colours close', () => {
    const png = pngOf((x, y) =>
      y < 30 ? (y < 15 ? [255, 255, 255] : [246, 247, 249]) : [x * 4, y * 6, x + y],
    );
    const [before, after] = [decode(png).pixels, decode(toPalettePng(png)).pixels];
    expect(after.subarray(0, 30 * WIDTH * 3)).toEqual(before.subarray(0, 30 * WIDTH * 3));
    const farthest = before.reduce(
      (most, value, at) => Math.max(most, Math.abs(value - (after[at] ?? 0))),
      0,
    );
    expect(farthest).toBeLessThan(24);
  });
});
