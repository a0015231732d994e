import { closeSync, constants, openSync, readdirSync, readlinkSync, readSync, statSync } from 'node:fs';

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads files in a proc root. Contract: never throws; a missing, hidden or unreadable file is `undefined`, because a process can exit at
 * any moment. All reads share one buffer, which makes reading thousands of processes cheap.
 */
export interface ProcReader {
  /** The start of a file, as Latin-1 so that no byte is lost; one read, at most 64 KiB. */
  readonly head: (path: string) => string | undefined;
  /** A whole file up to a limit. */
  readonly whole: (path: string, maxBytes: number) => Buffer | undefined;
  readonly link: (path: string) => string | undefined;
  readonly list: (path: string) => string[] | undefined;
  readonly owner: (path: string) => number | undefined;
  /** When a file was last written to, in epoch milliseconds. */
  readonly modifiedAtMs: (path: string) => number | undefined;
  /** Whether a pipe has a reader, given one of its descriptors; undefined when it is unknown. */
  readonly hasReader: (path: string) => boolean | undefined;
}

export function createProcReader(root: string): ProcReader {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  return {
    head: (path) => {
      const fd = tryOpen(`${root}/${path}`);
      if (fd === undefined) return undefined;
      try {
        return buffer.toString('latin1', 0, readSync(fd, buffer, 0, CHUNK_BYTES, null));
      } catch {
        return undefined;
      } finally {
        closeSync(fd);
      }
    },
    whole: (path, maxBytes) => {
      const fd = tryOpen(`${root}/${path}`);
      if (fd === undefined) return undefined;
      try {
        const chunks: Buffer[] = [];
        for (let size = 0; size < maxBytes;) {
          const count = readSync(fd, buffer, 0, Math.min(CHUNK_BYTES, maxBytes - size), null);
          if (count === 0) break;
          chunks.push(Buffer.from(buffer.subarray(0, count)));
          size += count;
        }
        return Buffer.concat(chunks);
      } catch {
        return undefined;
      } finally {
        closeSync(fd);
      }
    },
    link: (path) => attempt(() => readlinkSync(`${root}/${path}`)),
    list: (path) => attempt(() => readdirSync(`${root}/${path}`)),
    owner: (path) => attempt(() => statSync(`${root}/${path}`).uid),
    modifiedAtMs: (path) => attempt(() => Math.floor(statSync(`${root}/${path}`).mtimeMs)),
    hasReader: (path) => hasReader(`${root}/${path}`),
  };
}

/**
 * A nonblocking open of a pipe for writing fails with ENXIO when it has no reader. This takes one call instead of a search through the
 * descriptors of all processes. It has no effect on the pipe, which already has a writer.
 */
function hasReader(path: string): boolean | undefined {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENXIO' ? false : undefined;
  }
}

function tryOpen(path: string): number | undefined {
  return attempt(() => openSync(path, 'r'));
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
