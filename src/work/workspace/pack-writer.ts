import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { startBlake3 } from '../../system/blake3.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import { discardFile, syncFolder, writeWhole } from '../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { uniqueName } from '../../system/unique-name.ts';
import type { WorkspaceContext } from './workspace.ts';

/**
 * A pack stores contents by their BLAKE3: the objects in sequence, then their index as JSON, then the length of the index as twenty
 * digits. Objects written together share one pack, so that they need only one fsync.
 */
export interface PackWriter {
  /** Starts an object; after its bytes are written, `end` returns its hash. */
  readonly begin: () => ObjectWriter;
  /** Makes all objects durable; an empty pack is not created. */
  readonly finish: () => void;
  readonly abandon: () => void;
}

export interface ObjectWriter {
  readonly write: (bytes: Uint8Array) => void;
  readonly end: () => string;
}

export type PackIndex = Record<string, readonly [offset: number, length: number]>;

export const FOOTER_BYTES = 20;

/** Opens a pack; finishing it replaces an older one of the same name. */
export function openPackWriter(context: WorkspaceContext, name: string): PackWriter {
  const folder = packFolder(context);
  ensurePrivateFolder(folder);
  const path = join(folder, `${name}.pack`);
  const temporary = `${path}.${uniqueName()}.tmp`;
  const file = openSync(temporary, 'wx', 0o600);
  const index: PackIndex = {};
  let offset = 0;
  const abandon = (): void => {
    closeSync(file);
    discardFile(temporary);
  };
  const write = (bytes: Uint8Array): void => {
    try {
      writeWhole(file, bytes);
    } catch (error) {
      throw faultFromSystem(error, 'write', path);
    }
    offset += bytes.length;
  };
  return {
    begin: () => {
      const start = offset;
      const hash = startBlake3();
      return {
        write: (bytes) => {
          hash.update(bytes);
          write(bytes);
        },
        end: () => {
          const hex = hash.hex();
          index[hex] ??= [start, offset - start];
          return hex;
        },
      };
    },
    finish: () => {
      if (Object.keys(index).length === 0) return abandon();
      const text = Buffer.from(JSON.stringify(index));
      write(text);
      write(Buffer.from(String(text.length).padStart(FOOTER_BYTES, '0')));
      fsyncSync(file);
      closeSync(file);
      renameSync(temporary, path);
      syncFolder(folder);
    },
    abandon,
  };
}

export function packFolder(context: WorkspaceContext): string {
  return join(context.folder, 'objects');
}
