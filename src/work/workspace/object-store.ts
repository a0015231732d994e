import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { blake3Hex } from '../../base/blake3.ts';
import { Fault } from '../../base/fault.ts';
import { systemCode } from '../../base/system-fault.ts';
import { FOOTER_BYTES, openPackWriter, packFolder, type PackIndex } from './pack-writer.ts';
import { readDescriptor } from './read-content.ts';
import type { WorkspaceContext } from './workspace.ts';

/** The location of an object's bytes. */
export interface ObjectLocation {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

export type ObjectIndex = ReadonlyMap<string, ObjectLocation>;

/** Stores content outside git, which could garbage-collect it; returns its BLAKE3. */
export function putObject(context: WorkspaceContext, bytes: Uint8Array): string {
  const pack = openPackWriter(context, blake3Hex(bytes));
  const object = pack.begin();
  object.write(bytes);
  const hash = object.end();
  pack.finish();
  return hash;
}

/** Reads content and verifies its hash. */
export function readObject(context: WorkspaceContext, hash: string, index = indexObjects(context)): Buffer {
  const location = index.get(hash);
  if (location === undefined) {
    throw new Fault('E_DAMAGED', `Content ${hash} is missing.`, { details: { hash } });
  }
  const bytes = Buffer.concat([...readLocation(location)]);
  if (blake3Hex(bytes) !== hash)
    throw new Fault('E_DAMAGED', `Content ${hash} is corrupt.`, {
      details: { hash, path: location.path },
    });
  return bytes;
}

/** Reads content in chunks, which share one buffer; the caller verifies the hash. */
export function* readLocation({ path, offset, length }: ObjectLocation): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    yield* readDescriptor(file, offset, length);
  } finally {
    closeSync(file);
  }
}

/** Indexes all stored objects. */
export function indexObjects(context: WorkspaceContext): ObjectIndex {
  const objects = new Map<string, ObjectLocation>();
  for (const name of listPacks(context)) {
    const path = join(packFolder(context), name);
    for (const [hash, [offset, length]] of Object.entries(readPackIndex(path)))
      objects.set(hash, { path, offset, length });
  }
  return objects;
}

export function listPacks(context: WorkspaceContext): readonly string[] {
  try {
    return readdirSync(packFolder(context)).filter((name) => name.endsWith('.pack'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Reads the index of a pack; empty if the pack is corrupt or missing, so that its objects count as missing. */
export function readPackIndex(path: string): PackIndex {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const { size } = fstatSync(file);
    const footer = Buffer.alloc(FOOTER_BYTES);
    readSync(file, footer, 0, FOOTER_BYTES, size - FOOTER_BYTES);
    const text = Buffer.alloc(Number(footer.toString('latin1')));
    readSync(file, text, 0, text.length, size - FOOTER_BYTES - text.length);
    return JSON.parse(text.toString('utf8')) as PackIndex;
  } catch {
    return {};
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
