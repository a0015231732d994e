import { damaged } from '../base/damaged.ts';
import { Fault } from '../base/fault.ts';
import { readBytesIfPresent } from './durable-file.ts';

export interface OwnFile {
  readonly maxBytes?: number | undefined;
  /** How to fix a damaged file. */
  readonly hint: string;
}

/**
 * Reads a file that only this program writes; undefined when it does not exist. Something in its place that it never writes, such as a
 * folder, a loop of links or a file above the limit, is E_DAMAGED like changed content. Other failures stay E_IO.
 */
export function readOwnBytes(path: string, { maxBytes, hint }: OwnFile): Buffer | undefined {
  try {
    return readBytesIfPresent(path, maxBytes);
  } catch (error) {
    if (!isForeign(error)) throw error;
    throw damaged(path, describe(error.message, path), hint, error);
  }
}

/** Like `readOwnBytes`, but returns text. */
export function readOwnText(path: string, options: OwnFile): string | undefined {
  return readOwnBytes(path, options)?.toString('utf8');
}

const FOREIGN_REASONS: ReadonlySet<unknown> = new Set([undefined, 'ELOOP', 'EISDIR', 'ENXIO']);

/** Whether the file itself is the reason that it cannot be read. Without the reason of a system error, it is not a regular file, or too large. */
function isForeign(error: unknown): error is Fault {
  return error instanceof Fault && error.code === 'E_IO' && FOREIGN_REASONS.has(error.details.reason);
}

function describe(message: string, path: string): string {
  const start = `${path} `;
  const text = message.startsWith(start) ? `it ${message.slice(start.length)}` : message;
  return text.replace(/\.$/u, '');
}
