import { existsSync } from 'node:fs';
import { runGit } from './git.ts';
import { splitZero } from './list-visible.ts';
import { normalizeRemote } from './normalize-remote.ts';
import type { WorkspaceContext } from './workspace.ts';

const NAME = 'deed.project';
const SETTINGS = '^(deed\\.project|remote\\..*\\.url)$';

/** The name of a repository that its clones share: git's setting `deed.project`, otherwise the address of its remote. */
export async function readProjectName(
  context: Pick<WorkspaceContext, 'env'>,
  folder: string,
): Promise<string | undefined> {
  if (!existsSync(folder)) return undefined;
  const { output } = await runGit(context, ['config', '-z', '--get-regexp', SETTINGS], {
    cwd: folder,
    accept: [1, 128],
  });
  // git prints settings that occur more than once in the order in which they override each other.
  const settings = new Map(
    splitZero(output).map((line) => {
      const end = line.indexOf('\n');
      return [line.slice(0, end), line.slice(end + 1)] as const;
    }),
  );
  const name = settings.get(NAME);
  if (name) return name;
  const remotes = [...settings.keys()].filter((key) => key !== NAME);
  const remote =
    settings.get('remote.origin.url') ?? (remotes.length === 1 ? settings.get(remotes[0] ?? '') : undefined);
  return remote === undefined ? undefined : normalizeRemote(remote);
}
