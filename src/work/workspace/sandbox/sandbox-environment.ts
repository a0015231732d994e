import { isWithin } from '../resolve-tree.ts';
import type { WorkspaceRecord } from '../workspace-record.ts';
import type { WorkspaceContext } from '../workspace.ts';

/**
 * The environment of a command in a sandbox with its own /tmp. The caller's folder for temporary files is hidden or read-only there, so
 * TMPDIR names /tmp, unless commands can write to that folder or an item sets another one.
 */
export function sandboxEnvironment(
  context: Pick<WorkspaceContext, 'env'>,
  { mountAt, policy }: Pick<WorkspaceRecord, 'mountAt' | 'policy'>,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { TMPDIR } = env;
  if (TMPDIR === undefined || TMPDIR !== context.env.TMPDIR) return env;
  const isWritable = [mountAt, ...(policy.writePaths ?? [])].some((open) => isWithin(open, TMPDIR));
  return isWritable ? env : { ...env, TMPDIR: '/tmp' };
}
