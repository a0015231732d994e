import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { listUnixSockets } from '../../../system/unix-sockets.ts';
import { isWithin } from '../resolve-tree.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** What lies in a home folder and lets its finder act as somebody else. */
const IN_HOME: readonly string[] = [
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.docker',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.vault-token',
  '.password-store',
  '.config/gcloud',
  '.config/gh',
  '.config/git/credentials',
  '.config/op',
  '.config/rclone',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.terraform.d/credentials.tfrc.json',
  '.local/share/keyrings',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
];

/** The same for the machine; root may read them without any capability. */
const ON_MACHINE: readonly string[] = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/ssl/private',
  '/etc/ssh',
  '/etc/krb5.keytab',
  '/var/lib/docker',
  '/var/spool/cron',
];

/** Folders that a sandbox has of its own, so that whatever the machine keeps there is out of reach. */
export const PRIVATE_FOLDERS: readonly string[] = ['/tmp', '/var/tmp', '/run', '/dev', '/proc'];

export interface HiddenPlace {
  readonly path: string;
  readonly folder: boolean;
}

/** Lists the folders and files whose content no command may see. */
export function listHiddenPlaces(context: WorkspaceContext): readonly HiddenPlace[] {
  const names = [context.deedHome, ...IN_HOME.map((name) => join(context.accountHome, name)), ...ON_MACHINE];
  const places = names.flatMap(describePlace);
  // What lies in a hidden folder is hidden with it, and cannot be covered there again.
  const folders = places.filter(({ folder }) => folder);
  return places.filter(
    ({ path }) => !folders.some((other) => other.path !== path && isWithin(other.path, path)),
  );
}

/** Lists the sockets that a command could still reach: whoever may talk to Docker's is root. */
export function listReachableSockets(hidden: readonly HiddenPlace[]): readonly string[] {
  const covered = [...PRIVATE_FOLDERS, ...hidden.map(({ path }) => path)];
  return listUnixSockets().filter((path) => !covered.some((folder) => isWithin(folder, path)));
}

function describePlace(path: string): readonly HiddenPlace[] {
  try {
    const real = realpathSync(path);
    return [{ path: real, folder: lstatSync(real).isDirectory() }];
  } catch {
    // What is not there, or not to be seen by us, cannot be seen by our children either.
    return [];
  }
}
