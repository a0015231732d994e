import { runGit } from '../git.ts';
import { identityVariables, type Identity } from '../landing/write-commit.ts';
import type { WorkspaceContext } from '../workspace.ts';

const FILE = 'state.json';
/** A receipt that lists a hundred thousand files is smaller. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** More than one such file, so that a single one can always be read. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The line of `cat-file` before the content of an object. */
const HEADER = /^[0-9a-f]+ (\w+) (\d+)$/u;

/** What a commit of documents says besides them. */
export interface CommitNote {
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: Identity;
  readonly atMs: number;
}

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
  const lines = await Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      const blob = await run(context, root, ['hash-object', '-w', '--stdin'], { input: text });
      return `100644 blob ${blob}\t${name}\n`;
    }),
  );
  const tree = await run(context, root, ['mktree'], { input: lines.join('') });
  return run(
    context,
    root,
    ['commit-tree', '--no-gpg-sign', ...note.parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree],
    {
      input: note.message,
      env: identityVariables(note),
    },
  );
}

/** Reads the documents of such commits, by commit; those that the clone does not have, and other commits, are left out. */
export async function readDocumentCommits(
  context: WorkspaceContext,
  root: string,
  commits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = await readFiles(
    context,
    root,
    commits.map((commit) => `${commit}:${FILE}`),
  );
  return new Map(
    commits.flatMap((commit) => {
      const text = texts.get(`${commit}:${FILE}`);
      return text === undefined ? [] : [[commit, text] as const];
    }),
  );
}

/**
 * Reads files of commits, named as `<commit>:<path>`, usually with one process; what the clone does not have is left out. So are files that
 * are too large to be ours: everyone with push access to the remote can write them, and they must not fill the memory.
 */
export async function readFiles(
  context: WorkspaceContext,
  root: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const input = names.map((name) => `${name}\n`).join('');
  const options = { cwd: root, input, maxOutputBytes: MAX_OUTPUT_BYTES };
  const { output } = await runGit(context, ['cat-file', '--batch'], options);
  if (output.length < MAX_OUTPUT_BYTES) return parseFiles(names, output);
  const small = await findSmall(context, root, names);
  if (small.length < names.length) return readFiles(context, root, small);
  const middle = names.length >> 1;
  const first = await readFiles(context, root, names.slice(0, middle));
  return new Map([...first, ...(await readFiles(context, root, names.slice(middle)))]);
}

/** Parses the output of `cat-file --batch`. */
function parseFiles(names: readonly string[], output: Buffer): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  for (const name of names) {
    const end = output.indexOf(0x0a, at);
    const [, type, size] = HEADER.exec(output.toString('utf8', at, end)) ?? [];
    at = end + 1;
    if (size === undefined) continue;
    if (type === 'blob') found.set(name, output.toString('utf8', at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}

async function findSmall(
  context: WorkspaceContext,
  root: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const input = names.map((name) => `${name}\n`).join('');
  const { output } = await runGit(context, ['cat-file', '--batch-check'], { cwd: root, input });
  const lines = output.toString('utf8').split('\n');
  return names.filter((_, index) => Number(HEADER.exec(lines[index] ?? '')?.[2] ?? 0) <= MAX_FILE_BYTES);
}

async function run(
  context: WorkspaceContext,
  root: string,
  args: readonly string[],
  options: { readonly input: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const { output } = await runGit(context, args, { cwd: root, ...options });
  return output.toString('utf8').trim();
}
