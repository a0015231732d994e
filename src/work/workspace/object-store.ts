import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { blake3Hex } from '../../base/blake3.ts';
import { Fault } from '../../base/fault.ts';
import { systemCode } from '../../base/system-fault.ts';
import { FOOTER_BYTES, openPackWriter, packFolder, type PackIndex } from './pack-writer.ts';
import { readDescriptor } from './read-content.ts';
import type { WorkspaceContext } from './workspace.ts';

/** Where an object's bytes lie. */
export interface ObjectPlace {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

export type ObjectIndex = ReadonlyMap<string, ObjectPlace>;

/** Keeps content apart from git, which may collect what no branch names; tells its BLAKE3. */
export function putObject(context: WorkspaceContext, bytes: Uint8Array): string {
  const pack = openPackWriter(context, blake3Hex(bytes));
  const object = pack.begin();
  object.write(bytes);
  const hash = object.end();
  pack.finish();
  return hash;
}

/** Reads content back and holds it against its hash. */
export function readObject(context: WorkspaceContext, hash: string, index = indexObjects(context)): Buffer {
  const place = index.get(hash);
  if (place === undefined) {
    throw new Fault('E_INTEGRITY', `The content ${hash} is lost.`, { details: { hash } });
  }
  const bytes = Buffer.concat([...readPlace(place)]);
  if (blake3Hex(bytes) !== hash)
    throw new Fault('E_INTEGRITY', `The content ${hash} is damaged.`, {
      details: { hash, path: place.path },
    });
  return bytes;
}

/** Reads content piece by piece; the caller holds it against its hash. Each piece is overwritten by the next. */
export function* readPlace({ path, offset, length }: ObjectPlace): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    yield* readDescriptor(file, offset, length);
  } finally {
    closeSync(file);
  }
}

/** Lists every object that is kept. */
export function indexObjects(context: WorkspaceContext): ObjectIndex {
  const objects = new Map<string, ObjectPlace>();
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

/** Reads which objects a pack holds; nothing of one that is damaged or gone, whose objects then count as lost. */
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
