import { runGit } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** How git stores files of a working tree that are not stored as they are. */
export interface StoredForm {
  readonly isConverted: (path: string) => boolean;
  /** Returns the id of the blob that git stores for this content, and writes the blob if asked to. */
  readonly blobOf: (path: string, content: Uint8Array, write: boolean) => Promise<string>;
}

/** The attributes that decide how git stores a file. */
const ATTRIBUTES = ['text', 'crlf', 'eol', 'ident', 'working-tree-encoding', 'filter'];
/** Values of an attribute that is not in use. */
export const UNUSED = new Set(['unspecified', 'unset']);

/**
 * Reads which files of a working tree git converts: their line endings, their encoding, or `$Id$`. Files with a filter count as stored as
 * they are, because a filter is a program that the repository chooses.
 */
export async function readStoredForm(
  context: Pick<WorkspaceContext, 'env'>,
  root: string,
  paths: readonly string[],
): Promise<StoredForm> {
  const [values, autocrlf] = await Promise.all([
    readAttributes(context, root, paths),
    runGit(context, ['config', '--get', 'core.autocrlf'], { cwd: root, accept: [1] }),
  ]);
  const convertsAll = ['true', 'input'].includes(autocrlf.output.toString('utf8').trim().toLowerCase());
  return {
    isConverted: (path) => {
      const { filter = 'unspecified', ...others } = values.get(path) ?? {};
      if (!UNUSED.has(filter)) return false;
      const isNamed = Object.values(others).some((value) => !UNUSED.has(value));
      return isNamed || (convertsAll && others.text !== 'unset' && others.crlf !== 'unset');
    },
    blobOf: async (path, content, write) => {
      const args = ['hash-object', ...(write ? ['-w'] : []), '--stdin', `--path=${path}`];
      const { output } = await runGit(context, args, { cwd: root, input: content });
      return output.toString('utf8').trim();
    },
  };
}

export async function readAttributes(
  context: Pick<WorkspaceContext, 'env'>,
  root: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const { output } = await runGit(context, ['check-attr', '-z', '--stdin', ...ATTRIBUTES], {
    cwd: root,
    input: paths.map((path) => `${path}\0`).join(''),
  });
  const values = new Map<string, Record<string, string>>();
  const fields = splitZero(output);
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', name = '', value = ''] = fields.slice(at, at + 3);
    values.set(path, { ...values.get(path), [name]: value });
  }
  return values;
}
