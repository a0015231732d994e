import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import * as v from 'valibot';
import { startBlake3 } from '../../system/blake3.ts';
import { isDamaged } from '../../base/damaged.ts';
import { randomId } from '../../base/ids.ts';
import { record } from '../../base/schema.ts';
import { listNames } from '../../system/list-names.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readStored, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import { runGit } from './git.ts';
import { splitZero } from './list-visible.ts';
import { CONTENT_HINT } from './object-store.ts';
import { packFolder } from './pack-writer.ts';
import { readContent } from './read-content.ts';
import type { WorkspaceContext } from './workspace.ts';

/** A content that is not copied into the home, because the repository of its tree has it as a blob. */
export interface GitContent {
  readonly root: string;
  readonly object: string;
}

interface GitContents {
  readonly root: string;
  /** The blob of each content, by its BLAKE3. */
  readonly objects: Readonly<Record<string, string>>;
}

const SUFFIX = '.git.json';
/** A document with more would be too large to be read. */
const MAX_OBJECTS = 100_000;

const SHAPE: DocumentShape<GitContents> = {
  schema: v.object({ root: v.string(), objects: record(v.string()) }),
  hint: () => CONTENT_HINT,
};

/** Returns the blobs in the index of a repository, by path. */
export async function listBlobs(
  context: WorkspaceContext,
  root: string,
): Promise<ReadonlyMap<string, string>> {
  const { output } = await runGit(context, ['ls-files', '-s', '-z'], { cwd: root });
  const lines = splitZero(output).map((line) => line.split('\t'));
  return new Map(lines.map(([head = '', ...path]) => [path.join('\t'), head.split(' ')[1] ?? '']));
}

/** The hash of a file's content, and whether a blob has the same content: git may have stored it with other line endings. */
export function compareWithBlob(
  path: string,
  { size, blob }: { readonly size: number; readonly blob: string },
): { readonly hash: string; readonly isEqual: boolean } {
  const asBlob = createHash(blob.length === 64 ? 'sha256' : 'sha1').update(`blob ${size}\0`);
  const hash = startBlake3();
  for (const piece of readContent(path, 'file')) {
    asBlob.update(piece);
    hash.update(piece);
  }
  return { hash: hash.hex(), isEqual: asBlob.digest('hex') === blob };
}

/** Records contents of a tree that its repository has. */
export function writeGitContents(
  context: WorkspaceContext,
  root: string,
  objects: ReadonlyMap<string, string>,
): void {
  const entries = [...objects];
  ensurePrivateFolder(packFolder(context));
  for (let from = 0; from < entries.length; from += MAX_OBJECTS) {
    const part = Object.fromEntries(entries.slice(from, from + MAX_OBJECTS));
    writeStored(join(packFolder(context), `snapshot-${randomId()}${SUFFIX}`), { root, objects: part });
  }
}

/** Indexes the contents that repositories have. */
export function indexGitContents(context: WorkspaceContext): ReadonlyMap<string, GitContent> {
  const contents = new Map<string, GitContent>();
  for (const { root, objects } of readAll(context))
    for (const [hash, object] of Object.entries(objects)) contents.set(hash, { root, object });
  return contents;
}

/** Deletes the records of contents that no run needs. */
export function deleteGitContents(context: WorkspaceContext, needed: ReadonlySet<string>): void {
  for (const { path, objects } of readAll(context))
    if (!Object.keys(objects).some((hash) => needed.has(hash))) rmSync(path, { force: true });
}

/** A damaged record counts as empty, like a damaged pack: its contents are missing, or stored again. */
function readAll(context: WorkspaceContext): readonly (GitContents & { readonly path: string })[] {
  const names = listNames(packFolder(context)).filter((name) => name.endsWith(SUFFIX));
  return names.flatMap((name) => {
    const path = join(packFolder(context), name);
    try {
      const found = readStored(path, SHAPE);
      return found === undefined ? [] : [{ ...found, path }];
    } catch (error) {
      if (isDamaged(error)) return [];
      throw error;
    }
  });
}
