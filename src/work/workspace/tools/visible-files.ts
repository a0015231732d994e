import { runCommandForBytes } from '../../../system/run-command.ts';
import { gitSettings } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import { ToolError, type ToolContext } from './workspace-tool.ts';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs git inside the tree; exit code 1 means no results. */
export async function runGitInTree(
  args: readonly string[],
  { root, env, signal }: ToolContext,
): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await runCommandForBytes(['git', ...args], {
    cwd: root,
    env: { ...env, ...gitSettings(['*']) },
    signal,
    graceMs: 0,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  const message = stderr.toString('utf8', 0, 1000).trim();
  if (exitCode === 0 || (exitCode === 1 && message === '')) return stdout;
  throw new ToolError(message.replace(/^fatal: /u, '') || `git exited with code ${exitCode}`);
}

/** Lists the files below a folder that git would show: tracked files that exist, and untracked files that are not ignored; sorted. */
export async function visibleFiles(folder: string, context: ToolContext): Promise<readonly string[]> {
  const [all, deleted] = await Promise.all([
    runGitInTree(['ls-files', '-c', '-o', '-z', '--exclude-standard', '--', folder], context),
    runGitInTree(['ls-files', '-d', '-z', '--', folder], context),
  ]);
  const missing = new Set(splitZero(deleted));
  return [...new Set(splitZero(all))].filter((path) => !missing.has(path)).sort();
}
