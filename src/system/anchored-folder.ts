import { closeSync, constants, existsSync, openSync } from 'node:fs';

/** An open folder. What a name in it means cannot change by moving or linking a folder above it. */
export interface AnchoredFolder {
  readonly descriptor: number;
  /** A path to a name in this very folder, for calls that take no descriptor. */
  readonly at: (name: string) => string;
  readonly close: () => void;
}

const DESCRIPTORS = '/proc/self/fd';
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

let anchors: boolean | undefined;

/** Whether paths through descriptors work here; elsewhere the folder's path is trusted to stay. */
export function canAnchor(): boolean {
  return (anchors ??= existsSync(DESCRIPTORS));
}

/** Opens a folder; a link in its place is ELOOP or ENOTDIR. */
export function openAnchoredFolder(path: string): AnchoredFolder {
  const descriptor = openSync(path, FLAGS);
  const base = canAnchor() ? `${DESCRIPTORS}/${descriptor}` : path;
  // Not joined: a joined `.` would be the descriptor's own link and not the folder.
  return { descriptor, at: (name) => `${base}/${name}`, close: () => closeSync(descriptor) };
}
