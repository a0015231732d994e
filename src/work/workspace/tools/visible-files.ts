import { runCommandForBytes } from '../../../system/run-command.ts';
import { gitSettings } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import { ToolRefusal, type ToolPlace } from './workspace-tool.ts';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Asks git inside the tree; exit 1 is the answer that there is nothing. */
export async function askGit(args: readonly string[], { root, env, signal }: ToolPlace): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await runCommandForBytes(['git', ...args], {
    cwd: root,
    env: { ...env, ...gitSettings() },
    signal,
    graceMs: 0,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  const complaint = stderr.toString('utf8', 0, 1000).trim();
  if (exitCode === 0 || (exitCode === 1 && complaint === '')) return stdout;
  throw new ToolRefusal(complaint.replace(/^fatal: /u, '') || `git ended with code ${exitCode}`);
}

/** Lists the files below a folder that are tracked, or neither tracked nor ignored; sorted. */
export async function visibleFiles(folder: string, place: ToolPlace): Promise<readonly string[]> {
  const [all, gone] = await Promise.all([
    askGit(['ls-files', '-c', '-o', '-z', '--exclude-standard', '--', folder], place),
    askGit(['ls-files', '-d', '-z', '--', folder], place),
  ]);
  const missing = new Set(splitZero(gone));
  return [...new Set(splitZero(all))].filter((path) => !missing.has(path)).sort();
}
