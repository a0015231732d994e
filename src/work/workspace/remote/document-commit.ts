import { runGit } from '../git.ts';
import { renderCommitObject, type CommitContent } from '../objects/commit-object.ts';
import { readLoose } from '../objects/read-loose.ts';
import { OBJECT_HEADER, parseObjects, type ReadObject } from '../objects/read-objects.ts';
import { renderTreeObject, type ObjectEntry } from '../objects/tree-object.ts';
import { writeObject } from '../objects/write-object.ts';
import type { WorkspaceContext } from '../workspace.ts';

const FILE = 'state.json';
/** A receipt that lists a hundred thousand files is smaller. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** More than one such file, so that a single one can always be read. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What a commit of documents says besides them. */
export type CommitNote = Omit<CommitContent, 'tree'>;

/** Writes a commit that contains one JSON document, and returns its id. Its parents keep other commits in the remote. */
export async function writeDocumentCommit(
  context: WorkspaceContext,
  root: string,
  { text, ...note }: CommitNote & { readonly text: string },
): Promise<string> {
  return writeFilesCommit(context, root, { [FILE]: text }, note);
}

/** Writes a commit whose tree has these files, and returns its id. */
export async function writeFilesCommit(
  context: WorkspaceContext,
  root: string,
  files: Readonly<Record<string, string>>,
  note: CommitNote,
): Promise<string> {
  const entries = new Map<string, ObjectEntry>();
  for (const [name, text] of Object.entries(files))
    entries.set(name, { mode: '100644', id: await writeObject(context, root, 'blob', Buffer.from(text)) });
  const tree = await writeObject(context, root, 'tree', renderTreeObject(entries));
  return writeObject(context, root, 'commit', renderCommitObject({ ...note, tree }));
}

/** The name of the file with the document, in its commit. */
export function documentName(commit: string): string {
  return `${commit}:${FILE}`;
}

/**
 * Reads files of commits, named as `<commit>:<path>`, or commits, usually with one process. What the clone does not have is left out, and so are
 * files larger than any that deed writes: everyone with push access to the remote can write them, and they must not fill the memory.
 */
export async function readFiles(
  context: WorkspaceContext,
  root: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const recent = await readRecentFiles(context, root, names);
  const rest = names.filter((name) => !recent.has(name));
  return rest.length === 0 ? recent : new Map([...recent, ...(await readWithGit(context, root, rest))]);
}

/** Like `readFiles`, but starts no process: finds only what was just written or fetched as loose objects. */
export async function readRecentFiles(
  context: WorkspaceContext,
  root: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return textsOf(await readLoose(context, root, names));
}

async function readWithGit(
  context: WorkspaceContext,
  root: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const input = names.map((name) => `${name}\n`).join('');
  const options = { cwd: root, input, maxOutputBytes: MAX_OUTPUT_BYTES };
  const { output } = await runGit(context, ['cat-file', '--batch'], options);
  if (output.length < MAX_OUTPUT_BYTES) return textsOf(parseObjects(names, output));
  const small = await findSmall(context, root, names);
  if (small.length === 0) return new Map();
  if (small.length < names.length) return readWithGit(context, root, small);
  const middle = names.length >> 1;
  const first = await readWithGit(context, root, names.slice(0, middle));
  return new Map([...first, ...(await readWithGit(context, root, names.slice(middle)))]);
}

function textsOf(objects: ReadonlyMap<string, ReadObject>): ReadonlyMap<string, string> {
  return new Map(
    [...objects].flatMap(([name, { type, content }]) =>
      type === 'blob' || type === 'commit' ? [[name, content.toString('utf8')] as const] : [],
    ),
  );
}

async function findSmall(
  context: WorkspaceContext,
  root: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const input = names.map((name) => `${name}\n`).join('');
  const { output } = await runGit(context, ['cat-file', '--batch-check'], { cwd: root, input });
  const lines = output.toString('utf8').split('\n');
  return names.filter(
    (_, index) => Number(OBJECT_HEADER.exec(lines[index] ?? '')?.[3] ?? 0) <= MAX_FILE_BYTES,
  );
}
