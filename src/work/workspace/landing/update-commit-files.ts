import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { runGit } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import { readLoose } from '../objects/read-loose.ts';
import { parseObjects, type ReadObject } from '../objects/read-objects.ts';
import type { WorkspaceContext } from '../workspace.ts';
import { removeEmptyFolders } from './committable-changes.ts';
import { assertPaths, isLink, isSubmodule, writeEntry } from './write-commit-files.ts';

export interface CommitUpdate {
  readonly repository: string;
  readonly folder: string;
  /** The commit whose files the folder has. */
  readonly from: string;
  readonly to: string;
}

/** With more changes, a whole checkout takes about as long. */
const MAX_CHANGES = 1000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

interface ChangedEntry {
  readonly path: string;
  /** Whether the earlier commit has it. */
  readonly isOld: boolean;
  /** The mode in the later commit; empty if the file was deleted. */
  readonly mode: string;
  readonly object: string;
}

/**
 * Changes the files of one commit to the files of another, exactly as `writeCommitFiles` writes them. Returns false if that is not faster or
 * not possible; then nothing was changed. Contract: the folder has the files of the earlier commit.
 */
export async function updateCommitFiles(context: WorkspaceContext, request: CommitUpdate): Promise<boolean> {
  const { repository, folder, from, to } = request;
  if (from === to) return true;
  const changes = await listChanged(context, request);
  if (changes === undefined) return false;
  assertPaths(changes.map(({ path }) => path));
  const written = changes.filter(({ object }) => object !== '');
  const contents = await readContents(
    context,
    repository,
    written.map(({ object }) => object),
  );
  if (written.some(({ object }) => contents.get(object)?.type !== 'blob')) return false;
  const old = changes.filter(({ isOld }) => isOld);
  for (const { path } of old) rmSync(join(folder, path), { force: true });
  removeEmptyFolders(
    folder,
    old.map(({ path }) => ({ path, action: 'delete', type: 'file' })),
  );
  // Links are written last, so that no file is written through one.
  for (const { path, mode, object } of written.toSorted((a, b) => Number(isLink(a)) - Number(isLink(b))))
    writeEntry(join(folder, path), mode, contents.get(object)?.content ?? Buffer.alloc(0));
  return true;
}

/** Lists what differs between the commits; undefined if it is much, or a submodule, which is a folder and not a file. */
async function listChanged(
  context: WorkspaceContext,
  { repository, from, to }: CommitUpdate,
): Promise<readonly ChangedEntry[] | undefined> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to];
  const { exitCode, output } = await runGit(context, args, { cwd: repository, accept: [128] });
  if (exitCode !== 0) return undefined;
  const parts = splitZero(output);
  if (parts.length > 2 * MAX_CHANGES) return undefined;
  const changes: ChangedEntry[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [before = '', mode = '', , object = '', status] = (parts[at] ?? '').slice(1).split(' ');
    if (isSubmodule({ mode }) || isSubmodule({ mode: before })) return undefined;
    const path = parts[at + 1] ?? '';
    const isOld = status !== 'A';
    changes.push(status === 'D' ? { path, isOld, mode: '', object: '' } : { path, isOld, mode, object });
  }
  return changes;
}

/** Reads contents; what was just fetched needs no process. Those that are too large are left out. */
async function readContents(
  context: WorkspaceContext,
  repository: string,
  objects: readonly string[],
): Promise<ReadonlyMap<string, ReadObject>> {
  const recent = await readLoose(context, repository, objects);
  const rest = [...new Set(objects)].filter((object) => !recent.has(object));
  if (rest.length === 0) return recent;
  const input = rest.map((object) => `${object}\n`).join('');
  const options = { cwd: repository, input, maxOutputBytes: MAX_OUTPUT_BYTES };
  const { output } = await runGit(context, ['cat-file', '--batch'], options);
  // Git was stopped in the middle of an object.
  if (output.length >= MAX_OUTPUT_BYTES) return recent;
  return new Map([...recent, ...parseObjects(rest, output)]);
}
