import { runGit } from '../git.ts';
import { identityVariables, type Identity } from '../landing/write-commit.ts';
import type { WorkspaceContext } from '../workspace.ts';

const FILE = 'state.json';

/** Writes a commit that contains one JSON document, and returns its id. Its parents keep other commits in the remote. */
export async function writeDocumentCommit(
  context: WorkspaceContext,
  root: string,
  commit: {
    readonly text: string;
    readonly parents: readonly string[];
    readonly message: string;
    readonly author: Identity;
    readonly atMs: number;
  },
): Promise<string> {
  const blob = await run(context, root, ['hash-object', '-w', '--stdin'], { input: commit.text });
  const tree = await run(context, root, ['mktree'], { input: `100644 blob ${blob}\t${FILE}\n` });
  return run(
    context,
    root,
    ['commit-tree', '--no-gpg-sign', ...commit.parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree],
    {
      input: commit.message,
      env: identityVariables(commit),
    },
  );
}

/** Reads the documents of such commits, by commit; those that the clone does not have, and other commits, are left out. */
export async function readDocumentCommits(
  context: WorkspaceContext,
  root: string,
  commits: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (commits.length === 0) return new Map();
  const input = commits.map((commit) => `${commit}:${FILE}\n`).join('');
  const { output } = await runGit(context, ['cat-file', '--batch'], { cwd: root, input });
  const found = new Map<string, string>();
  let at = 0;
  for (const commit of commits) {
    const end = output.indexOf(0x0a, at);
    const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/u.exec(output.toString('utf8', at, end)) ?? [];
    at = end + 1;
    if (size === undefined) continue;
    if (type === 'blob') found.set(commit, output.toString('utf8', at, at + Number(size)));
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
