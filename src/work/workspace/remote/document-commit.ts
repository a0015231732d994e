import { runGit } from '../git.ts';
import { identityVariables, type Identity } from '../landing/write-commit.ts';
import type { WorkspaceContext } from '../workspace.ts';

const FILE = 'state.json';

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

/** Reads files of commits, named as `<commit>:<path>`, with one process; what the clone does not have is left out. */
export async function readFiles(
  context: WorkspaceContext,
  root: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const input = names.map((name) => `${name}\n`).join('');
  const { output } = await runGit(context, ['cat-file', '--batch'], { cwd: root, input });
  const found = new Map<string, string>();
  let at = 0;
  for (const name of names) {
    const end = output.indexOf(0x0a, at);
    const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/u.exec(output.toString('utf8', at, end)) ?? [];
    at = end + 1;
    if (size === undefined) continue;
    if (type === 'blob') found.set(name, output.toString('utf8', at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
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
