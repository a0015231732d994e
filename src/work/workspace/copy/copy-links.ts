import { join } from 'node:path';
import { readFileIfPresent, writeFileDurably } from '../../../system/durable-file.ts';
import type { Repository } from './copy-git.ts';

/** The folder with the objects of the user's repositories inside a sandbox with mounts. */
export const OBJECTS_INSIDE = '/run/deed-objects';

/** What a copy shares with the tree. */
export interface Links {
  /** Ignored folders. */
  readonly linked: readonly string[];
  /** Repositories whose objects the copies use. */
  readonly repositories: readonly Repository[];
}

export function writeLinks(folder: string, links: Links): void {
  writeFileDurably(join(folder, 'linked.json'), JSON.stringify(links), { sync: false });
}

export function readLinks(folder: string): Links {
  const text = readFileIfPresent(join(folder, 'linked.json')) ?? '[]';
  const kept = JSON.parse(text) as readonly string[] | Links;
  // Workspaces of 0.1.0 list only the folders.
  return 'repositories' in kept ? kept : { linked: kept, repositories: [] };
}
