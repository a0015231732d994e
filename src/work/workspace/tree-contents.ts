import { chmodSync, closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { startBlake3 } from '../../system/blake3.ts';
import { isDamaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { randomId } from '../../base/ids.ts';
import { record } from '../../base/schema.ts';
import { systemCode } from '../../base/system-fault.ts';
import { writeWhole } from '../../system/durable-file.ts';
import { listNames } from '../../system/list-names.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readStored, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import { CONTENT_HINT } from './object-store.ts';
import { packFolder } from './pack-writer.ts';
import { readContent } from './read-content.ts';
import type { TreeEntry, WorkspaceContext } from './workspace.ts';

/** A file of a tree that was not copied into the home, because it is large and no run has changed it. */
export interface FileInTree {
  readonly root: string;
  readonly path: string;
}

interface TreeContents {
  readonly root: string;
  /** The content of each path, as BLAKE3. */
  readonly files: Readonly<Record<string, string>>;
}

const SUFFIX = '.tree.json';
/** A document with more would be too large to be read. */
const MAX_FILES = 100_000;
/** A message names no more paths than this. */
const NAMED_PATHS = 5;

const SHAPE: DocumentShape<TreeContents> = {
  schema: v.object({ root: v.string(), files: record(v.string()) }),
  hint: () => CONTENT_HINT,
};

/** Records contents that only a tree has, by path. */
export function writeTreeContents(
  context: WorkspaceContext,
  root: string,
  files: ReadonlyMap<string, string>,
): void {
  const entries = [...files];
  ensurePrivateFolder(packFolder(context));
  for (let from = 0; from < entries.length; from += MAX_FILES) {
    const part = Object.fromEntries(entries.slice(from, from + MAX_FILES));
    writeStored(join(packFolder(context), `snapshot-${randomId()}${SUFFIX}`), { root, files: part });
  }
}

/** Indexes the contents that trees had when they were recorded; one may have been in several files. */
export function indexTreeContents(context: WorkspaceContext): ReadonlyMap<string, readonly FileInTree[]> {
  const contents = new Map<string, FileInTree[]>();
  for (const { root, files } of readAll(context))
    for (const [path, hash] of Object.entries(files)) {
      const known = contents.get(hash);
      if (known === undefined) contents.set(hash, [{ root, path }]);
      else known.push({ root, path });
    }
  return contents;
}

/** Deletes the records of contents that no run needs. */
export function deleteTreeContents(context: WorkspaceContext, needed: ReadonlySet<string>): void {
  for (const { name, files } of readAll(context))
    if (!Object.values(files).some((hash) => needed.has(hash)))
      rmSync(join(packFolder(context), name), { force: true });
}

type RecordedFile = TreeEntry & { readonly path: string; readonly found: readonly FileInTree[] };

/** Writes files whose content only a tree has; their folders exist. Throws E_NOT_FOUND if others have changed or deleted one of them since. */
export function restoreFromTree(files: readonly RecordedFile[], folder: string): void {
  const changed: FileInTree[] = [];
  for (const { path, hash, mode, found } of files) {
    const target = join(folder, path);
    if (found.some((source) => copyIfSame(join(source.root, source.path), target, hash)))
      chmodSync(target, mode);
    else changed.push(...found.slice(0, 1));
  }
  const [first] = changed;
  if (first === undefined) return;
  const named = changed.slice(0, NAMED_PATHS).map(({ path }) => path);
  const others = changed.length - named.length;
  throw new Fault(
    'E_NOT_FOUND',
    `Files in ${first.root} were changed or deleted since the run: ${named.join(', ')}${others > 0 ? ` and ${others} others` : ''}.`,
    {
      hint: 'Of a large tree, large files that are not in git are not copied. Restore them or add such files to git before a run. The receipt is still valid, and a rollback does not need them.',
      details: { path: first.root, paths: changed.map(({ path }) => path) },
    },
  );
}

/** Copies a file if it still has this content. */
function copyIfSame(from: string, to: string, hash: string): boolean {
  const running = startBlake3();
  const file = openSync(to, 'wx', 0o600);
  let isSame = false;
  try {
    for (const piece of readContent(from, 'file')) {
      running.update(piece);
      writeWhole(file, piece);
    }
    isSame = running.hex() === hash;
  } catch (error) {
    if (!GONE.has(systemCode(error) ?? '')) throw error;
  } finally {
    closeSync(file);
    if (!isSame) rmSync(to, { force: true });
  }
  return isSame;
}

/** The file was deleted, or replaced by something else. */
const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EINVAL', 'EACCES']);

/** A damaged record counts as empty, like a damaged pack: its contents are missing, or recorded again. */
function readAll(context: WorkspaceContext): readonly (TreeContents & { readonly name: string })[] {
  const names = listNames(packFolder(context)).filter((name) => name.endsWith(SUFFIX));
  return names.flatMap((name) => {
    try {
      const found = readStored(join(packFolder(context), name), SHAPE);
      return found === undefined ? [] : [{ ...found, name }];
    } catch (error) {
      if (isDamaged(error)) return [];
      throw error;
    }
  });
}
