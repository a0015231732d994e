import { closeSync, constants, existsSync, openSync } from 'node:fs';

/** An open folder. A name in it stays valid when a parent folder is moved or replaced by a link. */
export interface AnchoredFolder {
  readonly descriptor: number;
  /** A path to a name in this folder, for calls that do not accept a descriptor. */
  readonly at: (name: string) => string;
  readonly close: () => void;
}

const DESCRIPTORS = '/proc/self/fd';
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

let hasDescriptorPaths: boolean | undefined;

/** Whether this system supports paths through descriptors; otherwise the folder's path is used. */
export function canAnchor(): boolean {
  return (hasDescriptorPaths ??= existsSync(DESCRIPTORS));
}

/** Opens a folder; a link is rejected with ELOOP or ENOTDIR. */
export function openAnchoredFolder(path: string): AnchoredFolder {
  const descriptor = openSync(path, FLAGS);
  const base = canAnchor() ? `${DESCRIPTORS}/${descriptor}` : path;
  // Not `join`: it would drop a `.`, and the path would be the descriptor's link instead of the folder.
  return { descriptor, at: (name) => `${base}/${name}`, close: () => closeSync(descriptor) };
}
