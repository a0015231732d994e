import { readFileSync, statSync } from 'node:fs';
import type { TreePath } from './inside-tree.ts';
import { ToolError } from './workspace-tool.ts';

const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** The text of a file, or its size if it is binary. */
export type FileContent = { readonly text: string } | { readonly binaryBytes: number };

/** Reads a regular file of the tree; rejects anything else. */
export function readText({ name, real }: TreePath): FileContent {
  const stats = statSync(real, { throwIfNoEntry: false });
  if (stats === undefined) throw new ToolError(`the file ${name} does not exist`);
  if (stats.isDirectory()) throw new ToolError(`${name} is a folder; list it instead`);
  // A pipe could block; a device is not part of the tree.
  if (!stats.isFile()) throw new ToolError(`${name} is not a regular file`);
  if (stats.size > MAX_FILE_BYTES)
    throw new ToolError(
      `${name} has ${stats.size} bytes, which is too large to read at once; read a part of it with a command`,
    );
  const bytes = readFileSync(real);
  const text = bytes.includes(0) ? undefined : decode(bytes);
  return text === undefined ? { binaryBytes: bytes.length } : { text };
}

/** Invalid UTF-8 would be changed by an edit, so such a file counts as binary. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
