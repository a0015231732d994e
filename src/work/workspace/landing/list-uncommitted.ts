import { runGit } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import type { WorkspaceContext } from '../workspace.ts';
import { readAttributes, UNUSED } from './stored-form.ts';

const STATUS = [
  'status',
  '--porcelain',
  '-z',
  '--untracked-files=no',
  '--no-renames',
  '--ignore-submodules=all',
];
/** The two letters of the state and a space. */
const STATE_LENGTH = 3;

/**
 * Lists the tracked files of a tree with changes that are not committed. Files with a filter are left out: only their filter, a program
 * that the repository chooses, could tell whether they changed. Empty if git cannot compare them, as in a partial clone.
 */
export async function listUncommitted(
  context: Pick<WorkspaceContext, 'env'>,
  root: string,
): Promise<readonly string[]> {
  const filters = await listFilters(context, root);
  // The option -c would end the name there, and the filter would run.
  if (filters.some((name) => name.includes('='))) return [];
  const off = filters.flatMap((name) =>
    [`${name}.clean=`, `${name}.process=`, `${name}.required=false`].flatMap((setting) => ['-c', setting]),
  );
  const { output } = await runGit(context, [...off, ...STATUS], { cwd: root, accept: [128] });
  const paths = splitZero(output).map((line) => line.slice(STATE_LENGTH));
  if (filters.length === 0 || paths.length === 0) return paths;
  const attributes = await readAttributes(context, root, paths);
  return paths.filter((path) => UNUSED.has(attributes.get(path)?.filter ?? 'unspecified'));
}

/** Lists the filters that are configured, each as the start of its settings, such as `filter.lfs`. */
async function listFilters(context: Pick<WorkspaceContext, 'env'>, root: string): Promise<readonly string[]> {
  const args = ['config', '--null', '--name-only', '--get-regexp', '^filter\\.'];
  const { output } = await runGit(context, args, { cwd: root, accept: [1] });
  return [...new Set(splitZero(output).map((key) => key.slice(0, key.lastIndexOf('.'))))];
}
