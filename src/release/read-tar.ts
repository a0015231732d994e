/** One regular file of an archive. */
export interface TarFile {
  readonly path: string;
  readonly executable: boolean;
  readonly content: Buffer;
}

/** The reason why an archive is rejected. */
export class TarError extends Error {}

export interface TarLimits {
  readonly files: number;
  readonly pathBytes: number;
}

const BLOCK = 512;
const REGULAR = new Set(['0', '\0']);
const FOLDER = '5';

/**
 * Reads a tar archive (POSIX ustar) in memory. It is strict on purpose: only regular files and folders with plain relative
 * paths, each path once. Links, devices and every extension that could rename or redirect an entry are rejected.
 */
export function readTar(archive: Buffer, limits: TarLimits): TarFile[] {
  const files: TarFile[] = [];
  const seen = new Set<string>();
  for (let offset = 0; ;) {
    const header = archive.subarray(offset, offset + BLOCK);
    if (header.length < BLOCK) throw new TarError('the archive ends without its closing blocks');
    if (header.every((byte) => byte === 0)) {
      if (archive.subarray(offset).some((byte) => byte !== 0))
        throw new TarError('data follows the end of the archive');
      return files;
    }
    const entry = readHeader(header, limits);
    const start = offset + BLOCK;
    if (start + entry.size > archive.length) throw new TarError(`${entry.path} is truncated`);
    offset = start + Math.ceil(entry.size / BLOCK) * BLOCK;
    if (entry.type === FOLDER) continue;
    if (seen.has(entry.path)) throw new TarError(`${entry.path} is in the archive twice`);
    seen.add(entry.path);
    if (files.length >= limits.files) throw new TarError(`the archive has more than ${limits.files} files`);
    files.push({
      path: entry.path,
      executable: (entry.mode & 0o100) !== 0,
      content: archive.subarray(start, start + entry.size),
    });
  }
}

interface TarHeader {
  readonly path: string;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
}

function readHeader(header: Buffer, limits: TarLimits): TarHeader {
  if (header.toString('latin1', 257, 262) !== 'ustar') throw new TarError('a header is not ustar');
  if (readOctal(header, 148, 8) !== checksumOf(header))
    throw new TarError('the checksum of a header does not match');
  const type = header.toString('latin1', 156, 157);
  const prefix = readText(header, 345, 155);
  const name = readText(header, 0, 100);
  const path = checkPath(prefix === '' ? name : `${prefix}/${name}`, type, limits);
  if (type !== FOLDER && !REGULAR.has(type)) throw new TarError(`${path} is neither a file nor a folder`);
  const size = readOctal(header, 124, 12);
  if (type === FOLDER && size !== 0) throw new TarError(`the folder ${path} has content`);
  return { path, type, mode: readOctal(header, 100, 8), size };
}

/** Accepts `a/b` and `./a/b`; a folder may end in a slash. */
function checkPath(text: string, type: string, limits: TarLimits): string {
  const relative = text.replace(/^\.\//u, '');
  const path = type === FOLDER ? relative.replace(/\/$/u, '') : relative;
  if (type === FOLDER && (path === '' || path === '.')) return path;
  const plain = path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  // eslint-disable-next-line no-control-regex -- control characters are rejected
  if (plain && !/[\\\u0000-\u001F\u007F\uFFFD]/u.test(path) && Buffer.byteLength(path) <= limits.pathBytes)
    return path;
  throw new TarError(`the path ${JSON.stringify(text.slice(0, 120))} is not allowed`);
}

function readText(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

function readOctal(header: Buffer, start: number, length: number): number {
  const text = header
    .toString('latin1', start, start + length)
    .replace(/[\0 ]+$/u, '')
    .trimStart();
  if (!/^[0-7]{1,12}$/u.test(text)) throw new TarError('a number in a header is not octal');
  return Number.parseInt(text, 8);
}

/** Sums the bytes of the header, with the checksum field itself read as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  return sum;
}
