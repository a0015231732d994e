import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { blake3Hex } from '../../system/blake3.ts';
import { systemCode } from '../../base/system-fault.ts';
import { hashFile } from './hash-file.ts';
import type { TreeEntry } from './workspace.ts';

/** Describes an entry on disk; undefined if it does not exist, is a special file, or is a folder that is not empty. */
export function readLiveEntry(path: string): TreeEntry | undefined {
  try {
    const stats = lstatSync(path);
    const mode = stats.mode & 0o777;
    if (stats.isFile()) return { type: 'file', mode, size: stats.size, hash: hashFile(path) };
    if (stats.isSymbolicLink()) {
      const link = readlinkSync(path);
      return { type: 'symlink', mode: 0o777, size: Buffer.byteLength(link), hash: blake3Hex(link), link };
    }
    return stats.isDirectory() && readdirSync(path).length === 0
      ? { type: 'dir', mode, size: 0, hash: '' }
      : undefined;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
