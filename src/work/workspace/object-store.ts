import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { listNames } from '../../system/list-names.ts';
import { blake3Hex } from '../../system/blake3.ts';
import { damaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { openFile } from '../../system/open-file.ts';
import { FOOTER_BYTES, openPackWriter, packFolder, type PackIndex } from './pack-writer.ts';
import { collectContent, readDescriptor } from './read-content.ts';
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

/** How to fix lost content. */
export const CONTENT_HINT =
  'Restore the folder of objects from a backup of the home. Only rollbacks and replays of runs that used this content need it.';

/** Reads content and verifies its hash. */
export function readObject(context: WorkspaceContext, hash: string, index = indexObjects(context)): Buffer {
  const location = index.get(hash);
  if (location === undefined) {
    throw new Fault('E_DAMAGED', `Content ${hash} is missing from ${packFolder(context)}.`, {
      hint: CONTENT_HINT,
      details: { hash, path: packFolder(context) },
    });
  }
  const bytes = collectContent(readLocation(location));
  if (blake3Hex(bytes) !== hash)
    throw damaged(location.path, `content ${hash} differs from its hash`, CONTENT_HINT);
  return bytes;
}

/** Reads content in chunks, which share one buffer; the caller verifies the hash. */
export function* readLocation({ path, offset, length }: ObjectLocation): Generator<Buffer> {
  const file = openFile(path);
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
  return listNames(packFolder(context)).filter((name) => name.endsWith('.pack'));
}

/** Reads the index of a pack; empty if the pack is corrupt or missing, so that its objects count as missing. */
export function readPackIndex(path: string): PackIndex {
  return tryPackIndex(path) ?? {};
}

/** The first pack that cannot be read: content that is missing may be in it. */
export function findDamagedPack(context: WorkspaceContext): string | undefined {
  return listPacks(context)
    .map((name) => join(packFolder(context), name))
    .find((path) => tryPackIndex(path) === undefined);
}

function tryPackIndex(path: string): PackIndex | undefined {
  let file: number | undefined;
  try {
    file = openFile(path);
    const { size } = fstatSync(file);
    const footer = Buffer.alloc(FOOTER_BYTES);
    readSync(file, footer, 0, FOOTER_BYTES, size - FOOTER_BYTES);
    const indexBytes = Number(footer.toString('latin1'));
    const start = size - FOOTER_BYTES - indexBytes;
    // A damaged length must not decide how much memory is used.
    if (!Number.isSafeInteger(indexBytes) || start < 0) return undefined;
    const text = Buffer.alloc(indexBytes);
    readSync(file, text, 0, text.length, start);
    return checkIndex(JSON.parse(text.toString('utf8')), start);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Keeps the entries that are inside the pack; their content is verified by its hash. */
function checkIndex(value: unknown, end: number): PackIndex {
  const entries = Object.entries(isPlainObject(value) ? value : {}).flatMap(([hash, place]) => {
    const [offset, length] = Array.isArray(place) ? (place as unknown[]) : [];
    const isInside = isCount(offset) && isCount(length) && offset + length <= end;
    return isInside ? [[hash, [offset, length] as const] as const] : [];
  });
  return Object.fromEntries(entries);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
