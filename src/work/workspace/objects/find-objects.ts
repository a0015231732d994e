import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { rememberFor } from '../../../base/remember-for.ts';
import { runGit } from '../git.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** Where a repository keeps its objects does not change while it is used. */
const KEEP_MS = 30_000;

interface Objects {
  readonly folder: string;
  readonly algorithm: 'sha1' | 'sha256';
}

/** The folder with the objects of the repository of a tree, and the hash that makes their ids. */
export const findObjects = rememberFor(
  KEEP_MS,
  (_context: Pick<WorkspaceContext, 'env'>, root: string) => root,
  async (context, root): Promise<Objects> => {
    const args = ['rev-parse', '--show-object-format', '--git-path', 'objects'];
    const { output } = await runGit(context, args, { cwd: root });
    const text = output.toString('utf8');
    const folder = text.slice(text.indexOf('\n') + 1).trimEnd();
    const algorithm = text.startsWith('sha256') ? 'sha256' : 'sha1';
    return { folder: realpathSync(resolve(root, folder)), algorithm };
  },
);
