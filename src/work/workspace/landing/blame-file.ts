import { runGit } from '../git.ts';
import type { WorkspaceContext } from '../workspace.ts';
import { RUN_TRAILER } from './run-trailer.ts';

/** A line of a file in HEAD, and where it came from. */
export interface CommittedLine {
  readonly text: string;
  readonly commit: string;
  /** The path in that commit; the file may have been renamed since. */
  readonly path: string;
}

/**
 * Lists the lines of a file in HEAD with the commits that they came from; empty if HEAD does not have it. The file on disk is not read,
 * because git would run the filters of the repository on it.
 */
export async function blameFile(
  context: WorkspaceContext,
  root: string,
  path: string,
): Promise<readonly CommittedLine[]> {
  const { exitCode, output } = await runGit(
    context,
    ['-c', 'blame.ignoreRevsFile=', 'blame', '--line-porcelain', '--no-textconv', 'HEAD', '--', path],
    { cwd: root, accept: [128] },
  );
  if (exitCode !== 0) return [];
  const lines: CommittedLine[] = [];
  let [commit, origin] = ['', path];
  for (const line of output.toString('utf8').split('\n')) {
    if (line.startsWith('\t')) lines.push({ text: line.slice(1).replace(/\r$/u, ''), commit, path: origin });
    else if (/^[0-9a-f]{40,64} \d+ \d+/u.test(line)) [commit = ''] = line.split(' ');
    else if (line.startsWith('filename ')) origin = line.slice('filename '.length);
  }
  return lines;
}

/** The runs that the message of a commit names; several if commits were squashed, then often indented. */
const TRAILER = new RegExp(`^[ \\t]*${RUN_TRAILER}:[ \\t]*(run_\\w+)[ \\t]*$`, 'gmu');

/** Reads which runs each commit names in its message. */
export async function readRunTrailers(
  context: WorkspaceContext,
  root: string,
  commits: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (commits.length === 0) return new Map();
  const { output } = await runGit(
    context,
    ['log', '--no-walk=unsorted', '--stdin', '-z', '--no-show-signature', '--format=%H%n%B'],
    { cwd: root, input: commits.map((commit) => `${commit}\n`).join('') },
  );
  const messages = output.toString('utf8').split('\0').filter(Boolean);
  return new Map(
    messages.map((text) => {
      const [commit = ''] = text.split('\n', 1);
      return [commit, [...new Set([...text.matchAll(TRAILER)].map(([, run = '']) => run))]];
    }),
  );
}
