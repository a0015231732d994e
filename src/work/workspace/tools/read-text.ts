import { readFileSync, statSync } from 'node:fs';
import type { PlacedPath } from './inside-tree.ts';
import { ToolRefusal } from './workspace-tool.ts';

const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** What a file holds: its text, or only its size where it is none. */
export type FileContent = { readonly text: string } | { readonly binaryBytes: number };

/** Reads a regular file of the tree; anything else is refused with what it is. */
export function readText({ name, real }: PlacedPath): FileContent {
  const stats = statSync(real, { throwIfNoEntry: false });
  if (stats === undefined) throw new ToolRefusal(`there is no file ${name}`);
  if (stats.isDirectory()) throw new ToolRefusal(`${name} is a folder; list it instead`);
  // A pipe would never end, a device is none of the tree's.
  if (!stats.isFile()) throw new ToolRefusal(`${name} is no regular file`);
  if (stats.size > MAX_FILE_BYTES)
    throw new ToolRefusal(
      `${name} has ${stats.size} bytes, which is too much to read at once; take a part of it with a command`,
    );
  const bytes = readFileSync(real);
  const text = bytes.includes(0) ? undefined : decode(bytes);
  return text === undefined ? { binaryBytes: bytes.length } : { text };
}

/** Bytes that are no UTF-8 would come back changed from an edit. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
