import { closeSync, openSync, readSync } from 'node:fs';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { damaged } from '../base/damaged.ts';
import { errorMessage } from '../base/error-message.ts';
import { writeWhole } from './durable-file.ts';
import { openFile } from './open-file.ts';

/**
 * A compressed file is a sequence of zstd frames, so `zstd -d` reads it. Before each frame is a skippable frame with the length of the
 * frame and of its content; the last one has two zeros. So a file is read and written in pieces, and a truncated file is detected.
 */
const SKIPPABLE = 0x18_4d_2a_50;
const HEADER_BYTES = 16;
const PIECE_BYTES = 4 * 1024 * 1024;
/** Content that cannot be compressed becomes a little longer. */
const MAX_FRAME_BYTES = PIECE_BYTES + 64 * 1024;

const PARAMS = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };

/** Compresses a file into an open one, with the memory of a few pieces. */
export function compressFile(source: string, target: number): void {
  const file = openFile(source);
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let length = readPiece(file, piece); length > 0; length = readPiece(file, piece)) {
      const frame = zstdCompressSync(piece.subarray(0, length), { params: PARAMS });
      writeWhole(target, renderHeader(frame.length, length));
      writeWhole(target, frame);
    }
    writeWhole(target, renderHeader(0, 0));
  } finally {
    closeSync(file);
  }
}

/** Restores the content of a compressed file as a new private file. Damage is E_DAMAGED with the hint. */
export function decompressFile(source: string, target: string, hint: string): void {
  const file = openFile(source);
  try {
    const copy = openSync(target, 'wx', 0o600);
    try {
      for (const piece of readPieces(file)) writeWhole(copy, piece);
    } catch (error) {
      if (!(error instanceof DamagedPiece)) throw error;
      throw damaged(source, error.message, hint, error);
    } finally {
      closeSync(copy);
    }
  } finally {
    closeSync(file);
  }
}

/** Whether a file begins like a compressed one; anything else is read as it is. */
export function isCompressed(path: string): boolean {
  const file = openFile(path);
  try {
    const start = Buffer.alloc(4);
    return readSync(file, start) === start.length && start.readUInt32LE() === SKIPPABLE;
  } finally {
    closeSync(file);
  }
}

class DamagedPiece extends Error {}

function* readPieces(file: number): Generator<Buffer> {
  const header = Buffer.alloc(HEADER_BYTES);
  for (;;) {
    if (readPiece(file, header) < HEADER_BYTES) throw new DamagedPiece('it is truncated');
    const [magic, size, frameBytes = 0, bytes = 0] = [0, 4, 8, 12].map((at) => header.readUInt32LE(at));
    if (magic !== SKIPPABLE || size !== 8 || frameBytes > MAX_FRAME_BYTES || bytes > PIECE_BYTES)
      throw new DamagedPiece('a part of it is not valid');
    if (frameBytes === 0) return;
    const frame = Buffer.alloc(frameBytes);
    if (readPiece(file, frame) < frameBytes) throw new DamagedPiece('it is truncated');
    yield decompress(frame, bytes);
  }
}

function decompress(frame: Buffer, bytes: number): Buffer {
  let piece: Buffer;
  try {
    piece = zstdDecompressSync(frame, { maxOutputLength: PIECE_BYTES });
  } catch (error) {
    throw new DamagedPiece(`a part of it cannot be decompressed (${errorMessage(error)})`, { cause: error });
  }
  // A runtime may return less for an incomplete frame.
  if (piece.length !== bytes) throw new DamagedPiece('a part of it cannot be decompressed');
  return piece;
}

function renderHeader(frameBytes: number, bytes: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [index, value] of [SKIPPABLE, 8, frameBytes, bytes].entries())
    header.writeUInt32LE(value, index * 4);
  return header;
}

/** Fills a buffer from a file; returns how much there was. */
function readPiece(file: number, piece: Buffer): number {
  let length = 0;
  while (length < piece.length) {
    const read = readSync(file, piece, length, piece.length - length, null);
    if (read === 0) break;
    length += read;
  }
  return length;
}
