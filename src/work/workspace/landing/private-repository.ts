import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readFileIfPresent } from '../../../system/durable-file.ts';
import { branchRef } from './read-branch.ts';

/** Writes an empty repository as `git init` does. Only this program writes to it, so its refs are plain files. */
export function writeRepository(gitFolder: string, branch: string, commit: string): void {
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'])
    mkdirSync(join(gitFolder, name), { recursive: true });
  writeFileSync(join(gitFolder, 'HEAD'), `ref: ${branchRef(branch)}\n`);
  const isSha256 = commit.length === 64;
  const settings = [
    '[core]',
    `repositoryformatversion = ${isSha256 ? 1 : 0}`,
    'filemode = true',
    'bare = false',
    'logallrefupdates = true',
    ...(isSha256 ? ['[extensions]', 'objectformat = sha256'] : []),
  ];
  writeFileSync(join(gitFolder, 'config'), `${settings.join('\n')}\n`);
}

/** Moves a branch of a private repository. */
export function writeBranch(gitFolder: string, branch: string, commit: string): void {
  const path = join(gitFolder, branchRef(branch));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${commit}\n`);
}

/** The tip of a branch of a private repository; null if the branch does not exist. */
export function readOwnBranch(gitFolder: string, branch: string): string | null {
  return readFileIfPresent(join(gitFolder, branchRef(branch)))?.trim() ?? null;
}
