import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { runGit } from '../git.ts';
import { isGitPath } from '../git-name.ts';
import { splitZero } from '../list-visible.ts';
import { describeUnsupported, isUnsupported } from '../unsupported-name.ts';
import type { WorkspaceContext } from '../workspace.ts';

export interface CommitEntry {
  readonly mode: string;
  readonly object: string;
  readonly bytes: number;
  readonly path: string;
}

/** How much content one git process returns. */
const BATCH_BYTES = 32 * 1024 * 1024;
const SUBMODULE = '160000';
const SYMLINK = '120000';

export function isSubmodule({ mode }: Pick<CommitEntry, 'mode'>): boolean {
  return mode === SUBMODULE;
}

export function isLink({ mode }: Pick<CommitEntry, 'mode'>): boolean {
  return mode === SYMLINK;
}

/**
 * Writes the files of a commit into an empty folder, exactly as they are stored: no filter runs, no line ending changes. Links are
 * written last, so that no file is written through one.
 */
export async function writeCommitFiles(
  context: WorkspaceContext,
  { repository, commit, folder }: { repository: string; commit: string; folder: string },
): Promise<void> {
  const { output } = await runGit(context, ['ls-tree', '-r', '-l', '-z', '--full-tree', commit], {
    cwd: repository,
  });
  const entries = splitZero(output).map(parseEntry);
  assertPaths(entries.map(({ path }) => path));
  for (const { path } of entries.filter(isSubmodule)) mkdirSync(join(folder, path), { recursive: true });
  const links = entries.filter(isLink);
  const files = entries.filter((entry) => !isLink(entry) && !isSubmodule(entry));
  for (const batch of [...batchesOf(files), ...batchesOf(links)]) {
    const contents = await readBlobs(context, repository, batch);
    for (const [index, { path, mode }] of batch.entries())
      writeEntry(join(folder, path), mode, contents[index] ?? Buffer.alloc(0));
  }
}

/** Rejects a commit with names that no run can use, before anything runs. */
export async function assertCommitPaths(
  context: WorkspaceContext,
  repository: string,
  commit: string,
): Promise<void> {
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit];
  assertPaths(splitZero((await runGit(context, args, { cwd: repository })).output));
}

/** Writes a file or a link that does not exist. */
export function writeEntry(path: string, mode: string, content: Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  if (mode === SYMLINK) {
    symlinkSync(content.toString('utf8'), path);
    return;
  }
  writeFileSync(path, content, { flag: 'wx' });
  chmodSync(path, mode === '100755' ? 0o755 : 0o644);
}

/** Reads blobs in the order of the list. */
export async function readBlobs(
  context: WorkspaceContext,
  cwd: string,
  entries: readonly CommitEntry[],
): Promise<readonly Buffer[]> {
  const { output } = await runGit(context, ['cat-file', '--batch'], {
    cwd,
    input: entries.map(({ object }) => `${object}\n`).join(''),
  });
  let at = 0;
  return entries.map(({ object, path }) => {
    const end = output.indexOf('\n', at);
    const [, type, size] = output.toString('latin1', at, end).split(' ');
    if (type !== 'blob') throw missingObject(object, path);
    const start = end + 1;
    at = start + Number(size) + 1;
    return output.subarray(start, at - 1);
  });
}

export function parseEntry(line: string): CommitEntry {
  const tab = line.indexOf('\t');
  const [mode = '', , object = '', bytes = '0'] = line.slice(0, tab).split(/ +/u);
  return { mode, object, bytes: Number(bytes) || 0, path: line.slice(tab + 1) };
}

/** Splits a list so that one git process returns a limited amount of content. */
export function* batchesOf<T extends CommitEntry>(entries: readonly T[]): Generator<readonly T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (batch.length > 0 && bytes + entry.bytes > BATCH_BYTES) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(entry);
    bytes += entry.bytes;
  }
  if (batch.length > 0) yield batch;
}

/** A commit can be made by anyone: its names must not lead out of the folder or into `.git`. */
export function assertPaths(paths: readonly string[]): void {
  const unsupported = paths.filter(isUnsupported);
  if (unsupported.length > 0)
    throw new Fault('E_VALIDATION', `The branch cannot be used: ${describeUnsupported(unsupported)}`, {
      hint: 'Rename these files with git mv, and commit that on the branch or on HEAD if the branch does not exist. Or run without a branch.',
      details: { field: 'branch', paths: unsupported.slice(0, 5) },
    });
  const outside = paths.find(
    (path) => path.startsWith('/') || path.split('/').includes('..') || isGitPath(path),
  );
  if (outside === undefined) return;
  throw new Fault('E_VALIDATION', `The branch has the invalid path ${JSON.stringify(outside)}.`, {
    details: { field: 'branch', path: outside },
  });
}

function missingObject(object: string, path: string): Fault {
  return new Fault('E_IO', `The content of ${path} (${object}) is not in the repository.`, {
    hint: 'The repository is a partial clone or damaged; fetch the missing objects with git.',
    details: { path, object },
  });
}
