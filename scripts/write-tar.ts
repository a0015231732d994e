import { gzipSync } from 'node:zlib';

export interface TarMember {
  readonly path: string;
  readonly mode: number;
  readonly content: Uint8Array;
}

const BLOCK = 512;
/** Of compressed output: the default of 16 kB cuts an executable into thousands of buffers. */
const CHUNK = 1 << 20;

/** Writes a reproducible tar archive (POSIX ustar), without owners and times. */
export function writeTar(members: readonly TarMember[]): Buffer {
  const blocks: Uint8Array[] = [];
  for (const member of members) {
    blocks.push(tarHeader(member.path, { mode: member.mode, size: member.content.length }), member.content);
    blocks.push(Buffer.alloc((BLOCK - (member.content.length % BLOCK)) % BLOCK));
  }
  blocks.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(blocks);
}

/** Like `writeTar`, compressed with gzip at this level. */
export function writeCompressedTar(members: readonly TarMember[], level: number): Buffer {
  return gzipSync(writeTar(members), { level, chunkSize: CHUNK });
}

export interface TarHeaderFields {
  readonly mode: number;
  readonly size: number;
  /** `0` is a regular file; tests use the others. */
  readonly type?: string;
  readonly link?: string;
}

/** Renders the header block of one member. */
export function tarHeader(path: string, fields: TarHeaderFields): Buffer {
  const header = Buffer.alloc(BLOCK);
  const [prefix, name] = splitPath(path);
  header.write(name, 0);
  header.write(octal(fields.mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(fields.size, 12), 124);
  header.write(octal(0, 12), 136);
  header.write(' '.repeat(8), 148);
  header.write(fields.type ?? '0', 156);
  header.write(fields.link ?? '', 157);
  header.write('ustar\u000000', 257);
  header.write(prefix, 345);
  header.write(
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    ),
    148,
  );
  return header;
}

/** A path of more than 100 bytes is split at a slash into the two fields of ustar. */
function splitPath(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const prefix = path.slice(0, slash);
    const name = path.slice(slash + 1);
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return [prefix, name];
  }
  throw new Error(`${path} is too long for a ustar archive`);
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}
