import type { Workspace } from '../workspace/workspace.ts';

const CROSS_DEVICE = /Invalid cross-device link|\bEXDEV\b/u;

/**
 * Adds the cause to the error of an agent that renamed a folder of the tree in the overlay of an ordinary account: the kernel rejects that
 * with EXDEV, since it allows redirects of folders to root only. `mv` copies instead; `git mv` and rename(2) do not.
 */
export function explainAgentFailure(
  error: string | undefined,
  output: string,
  { mode }: Pick<Workspace, 'mode'>,
): string | undefined {
  if (error === undefined || mode !== 'overlay' || !CROSS_DEVICE.test(output)) return error;
  return `${error}: an overlay cannot rename a folder of the tree (EXDEV); use mv instead of git mv or rename, or set work.workspace to copy`;
}
