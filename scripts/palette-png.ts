import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** A picture with three bytes per pixel. */
interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_COLOURS = 256;
const EXACT_COLOURS = 96;

/**
 * Reduces a PNG to at most 256 colours, which makes a picture of a page about half as large. Pages have few colours, so the difference is
 * not visible. Contract: 8 bits per channel, not interlaced, as browsers write it; transparency is dropped.
 */
export function toPalettePng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const { palette, indexOf } = choosePalette(pixels);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      rows[y * (width + 1) + x + 1] = indexOf.get(colourAt(pixels, (y * width + x) * 3)) ?? 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

export function decode(png: Buffer): Picture {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [depth, kind] = [png[24], png[25]];
  if (depth !== 8 || (kind !== 2 && kind !== 6 && kind !== 3) || png[28] !== 0)
    throw new Error(`unsupported PNG: ${depth} bits, colour type ${kind}`);
  const size = kind === 6 ? 4 : kind === 2 ? 3 : 1;
  const rows = unfilter(inflateSync(Buffer.concat(chunksOf(png, 'IDAT'))), width * size, size);
  const [palette = Buffer.alloc(0)] = chunksOf(png, 'PLTE');
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at += 1) {
    const from = kind === 3 ? palette.subarray((rows[at] ?? 0) * 3) : rows.subarray(at * size);
    pixels.set(from.subarray(0, 3), at * 3);
  }
  return { width, height, pixels };
}

function chunksOf(png: Buffer, type: string): Buffer[] {
  const found: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === type)
      found.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  return found;
}

/** Each row starts with the number of its filter, by which its bytes are differences to those on the left and above. */
function unfilter(data: Buffer, rowBytes: number, pixelBytes: number): Buffer {
  const height = data.length / (rowBytes + 1);
  const rows = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (rowBytes + 1)] ?? 0;
    for (let x = 0; x < rowBytes; x += 1) {
      const at = y * rowBytes + x;
      const left = x < pixelBytes ? 0 : (rows[at - pixelBytes] ?? 0);
      const above = y === 0 ? 0 : (rows[at - rowBytes] ?? 0);
      const corner = x < pixelBytes || y === 0 ? 0 : (rows[at - rowBytes - pixelBytes] ?? 0);
      rows[at] = (data[y * (rowBytes + 1) + x + 1] ?? 0) + predict(filter, left, above, corner);
    }
  }
  return rows;
}

function predict(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter !== 4) return 0;
  const [toLeft, toAbove, toCorner] = [
    Math.abs(above - corner),
    Math.abs(left - corner),
    Math.abs(left + above - 2 * corner),
  ];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function colourAt(pixels: Uint8Array, at: number): number {
  return ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
}

interface Palette {
  readonly palette: readonly number[];
  readonly indexOf: ReadonlyMap<number, number>;
}

type Counted = readonly [colour: number, count: number];

/**
 * The most frequent colours, which are those of surfaces and of text, stay exact. The others, from the edges of letters, are grouped by
 * median cut: the group with the widest range is halved until there are 256.
 */
function choosePalette(pixels: Uint8Array): Palette {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 3) {
    const colour = colourAt(pixels, at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a);
  const groups = byCount.slice(0, EXACT_COLOURS).map((each) => describeGroup([each]));
  if (byCount.length > EXACT_COLOURS) groups.push(describeGroup(byCount.slice(EXACT_COLOURS)));
  while (groups.length < MAX_COLOURS) {
    const widest = groups.reduce((best, group) => (group.range > best.range ? group : best));
    if (widest.range === 0) break;
    const sorted = widest.colours.toSorted(([a], [b]) => channel(a, widest.shift) - channel(b, widest.shift));
    const middle = sorted.length >> 1;
    groups.splice(
      groups.indexOf(widest),
      1,
      describeGroup(sorted.slice(0, middle)),
      describeGroup(sorted.slice(middle)),
    );
  }
  const palette = groups.map(
    ({ colours }) => colours.reduce((best, each) => (each[1] > best[1] ? each : best))[0],
  );
  const indexOf = new Map(
    groups.flatMap(({ colours }, index) => colours.map(([colour]) => [colour, index] as const)),
  );
  return { palette, indexOf };
}

interface Group {
  readonly colours: readonly Counted[];
  /** The channel with the widest range, as the shift of its bits. */
  readonly shift: number;
  readonly range: number;
}

function describeGroup(colours: readonly Counted[]): Group {
  const ranges = [16, 8, 0].map((shift) => {
    const values = colours.map(([colour]) => channel(colour, shift));
    return {
      shift,
      range: values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b)),
    };
  });
  const widest = ranges.reduce((best, each) => (each.range > best.range ? each : best));
  return { colours, ...widest };
}

function channel(colour: number, shift: number): number {
  return (colour >> shift) & 255;
}
