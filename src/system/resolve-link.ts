import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { Fault } from '../base/fault.ts';

/** Resolves symbolic links, such as those into a folder of dotfiles, so that their target is changed and the links stay. A new file has its own path. */
export function resolveLink(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  throw new Fault('E_CONFIG', `${path} is a link to ${readlinkSync(path)}, which does not exist.`, {
    hint: 'Nothing was changed. Create that file or remove the link, then retry.',
    details: { path },
  });
}
