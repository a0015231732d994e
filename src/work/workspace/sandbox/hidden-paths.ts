import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf } from '../../../system/account.ts';
import { listUnixSockets } from '../../../system/unix-sockets.ts';
import { isWithin } from '../resolve-tree.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** Files with credentials in the home folder. */
export const IN_HOME: readonly string[] = [
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

/** Sensitive files of the machine that root can read without capabilities. */
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

/** Folders that are private in a sandbox, so that the machine's content there is not accessible. */
export const PRIVATE_FOLDERS: readonly string[] = ['/tmp', '/var/tmp', '/run', '/dev', '/proc'];

export interface HiddenPath {
  readonly path: string;
  readonly folder: boolean;
}

/** The home folder that commands get empty; undefined if it is the root folder, whose credential files are hidden one by one. */
export function privateHome({ accountHome }: Pick<WorkspaceContext, 'accountHome'>): string | undefined {
  const [home] = describePath(accountHome);
  return home?.folder === true && home.path !== '/' ? home.path : undefined;
}

/** Lists the folders and files that are hidden from all commands, besides the private home. */
export function listHiddenPaths(context: WorkspaceContext, owner?: number): readonly HiddenPath[] {
  const home = privateHome(context);
  const ownerHome = owner === undefined ? undefined : homeOf(owner);
  const names = [
    context.deedHome,
    ...(context.stateFolders ?? []),
    ...(ownerHome === undefined ? [] : [ownerHome]),
    ...(home === undefined ? IN_HOME.map((name) => join(context.accountHome, name)) : []),
    ...ON_MACHINE,
  ];
  const paths = names.flatMap(describePath).filter(({ path }) => path !== '/');
  // A path inside a hidden folder is already hidden and cannot be mounted over.
  const folders = paths.filter(({ folder }) => folder).map(({ path }) => path);
  return paths.filter(
    ({ path }) =>
      !folders.some((other) => other !== path && isWithin(other, path)) &&
      (home === undefined || path === home || !isWithin(home, path)),
  );
}

/**
 * Lists the sockets that a command could still reach, such as Docker's, which would give it root. A folder that is shown can contain some;
 * a socket that is shown by its own path is meant to be reached.
 */
export function listReachableSockets(
  hidden: readonly HiddenPath[],
  home: string | undefined,
  shown: readonly string[],
): readonly string[] {
  const covered = [
    ...PRIVATE_FOLDERS,
    ...hidden.map(({ path }) => path),
    ...(home === undefined ? [] : [home]),
  ];
  const isCovered = (path: string): boolean =>
    covered.some((folder) => isWithin(folder, path)) && !shown.some((folder) => isWithin(folder, path));
  return listUnixSockets().filter((path) => !isCovered(path) && !shown.includes(path));
}

function describePath(path: string): readonly HiddenPath[] {
  try {
    const real = realpathSync(path);
    return [{ path: real, folder: lstatSync(real).isDirectory() }];
  } catch {
    // A path that does not exist or is not accessible here is not accessible to child processes either.
    return [];
  }
}
