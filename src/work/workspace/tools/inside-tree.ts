import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { systemCode } from '../../../base/system-fault.ts';
import { isGitPath } from '../git-name.ts';
import { isWithin } from '../resolve-tree.ts';
import { ToolError } from './workspace-tool.ts';

export interface TreePath {
  /** Relative to the root, with `/`; a dot for the root itself. */
  readonly name: string;
  /** The real path; symlinks are resolved as far as the path exists. */
  readonly real: string;
}

/**
 * Resolves a path from the model. The sandbox is the security boundary; this check gives a clear error for paths outside the tree, and
 * applies also without a sandbox.
 */
export function insideTree(root: string, path: string): TreePath {
  if (path.includes('\0')) throw new ToolError('a path cannot contain NUL');
  const absolute = resolve(root, path);
  if (!isWithin(root, absolute))
    throw new ToolError(`${path} is outside the tree; only ${root} is accessible`);
  const name = relative(root, absolute) || '.';
  if (isGitPath(name)) throw new ToolError(`${path} belongs to git and is not part of the tree`);
  const real = followLinks(absolute);
  if (!isWithin(realpathSync(root), real))
    throw new ToolError(`${path} points outside the tree through a link, to ${real}`);
  if (isGitPath(relative(realpathSync(root), real)))
    throw new ToolError(`${path} points to the folder of git, which is not part of the tree`);
  return { name, real };
}

/** Resolves symlinks of the existing part of a path. */
function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) === 'ELOOP') throw new ToolError(`${path} is a link to itself`);
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw error;
  }
  if (isDangling(path)) throw new ToolError(`${path} is a link to a file that does not exist`);
  const parent = dirname(path);
  return parent === path ? path : join(followLinks(parent), path.slice(parent.length));
}

/** Writing through a dangling symlink would create its target. */
function isDangling(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
