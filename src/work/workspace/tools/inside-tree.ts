import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { systemCode } from '../../../base/system-fault.ts';
import { isWithin } from '../resolve-tree.ts';
import { ToolRefusal } from './workspace-tool.ts';

export interface PlacedPath {
  /** As the model is told it: relative to the root, with `/`; a dot for the root itself. */
  readonly name: string;
  /** Where it really is, links followed as far as there is something. */
  readonly real: string;
}

/**
 * Finds the place that a path of the model means. The sandbox is the wall; this is so that a path out of the tree is refused with its
 * reason instead of failing strangely, and holds where there is no sandbox.
 */
export function insideTree(root: string, path: string): PlacedPath {
  if (path.includes('\0')) throw new ToolRefusal('a path cannot contain NUL');
  const absolute = resolve(root, path);
  if (!isWithin(root, absolute))
    throw new ToolRefusal(`${path} lies outside of the tree; only ${root} is open`);
  const name = relative(root, absolute) || '.';
  if (name.split('/').includes('.git'))
    throw new ToolRefusal(`${path} belongs to git; it is no part of the tree`);
  const real = followLinks(absolute);
  if (!isWithin(realpathSync(root), real))
    throw new ToolRefusal(`${path} leads out of the tree through a link, to ${real}`);
  if (relative(realpathSync(root), real).split('/').includes('.git'))
    throw new ToolRefusal(`${path} leads to git's own folder; it is no part of the tree`);
  return { name, real };
}

/** Resolves links of what is there; the names below it that are not there yet stay as they are. */
function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) === 'ELOOP') throw new ToolRefusal(`${path} is a link that leads to itself`);
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw error;
  }
  if (isDangling(path)) throw new ToolRefusal(`${path} is a link to something that is not there`);
  const parent = dirname(path);
  return parent === path ? path : join(followLinks(parent), path.slice(parent.length));
}

/** A link whose target is missing would be created wherever it points. */
function isDangling(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
