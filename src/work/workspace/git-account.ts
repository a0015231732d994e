import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { homeOf, ownUid } from '../../system/account.ts';
import { findProgram } from '../../system/find-program.ts';

/** How git is started: the words before it, variables, and folders that may belong to another account. */
export interface GitAccount {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly safe: readonly string[];
}

const SELF: GitAccount = { argv: [], env: {}, safe: [] };
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

/**
 * Root runs git as the owner of the folder, with the owner's settings: a program that a repository starts has only the rights that its
 * owner already has. Other accounts run git as themselves, and git rejects repositories of others.
 */
export function findGitAccount(folder: string, path: string, uid = ownUid()): GitAccount {
  if (uid !== 0) return SELF;
  const owner = statSync(folder, { throwIfNoEntry: false });
  if (owner === undefined || owner.uid === 0) return SELF;
  const setpriv = findProgram('setpriv', `${SYSTEM_PATH}:${path}`);
  if (setpriv === undefined) return { ...SELF, safe: foldersUpTo(folder) };
  return {
    argv: [setpriv, `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', '--no-new-privs', '--'],
    env: { HOME: homeOf(owner.uid) ?? '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' },
    safe: [],
  };
}

/** The folder and those above it: the root of the repository is not known yet. */
function foldersUpTo(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpTo(parent)];
}
