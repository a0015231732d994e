import { join } from 'node:path';
import * as v from 'valibot';
import { readFileIfPresent } from '../../../system/durable-file.ts';
import { parseStored, writeStored, type DocumentShape } from '../../../system/stored-document.ts';
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
  writeStored(linksPath(folder), links, { sync: false });
}

export function readLinks(folder: string): Links {
  const path = linksPath(folder);
  const text = readFileIfPresent(path) ?? '[]';
  // Workspaces of 0.1.0 list only the folders.
  if (!text.startsWith('[')) return parseStored(path, text, LINKS);
  return { linked: parseStored(path, `{"linked":${text}}`, OLD_LINKS).linked, repositories: [] };
}

const linked = v.array(v.string());
const hint = (path: string): string =>
  `Restore it from a backup, or remove the folder of ${path}: the run is lost then, and its item can run again.`;
const OLD_LINKS: DocumentShape<Pick<Links, 'linked'>> = { hint, schema: v.object({ linked }) };
const LINKS: DocumentShape<Links> = {
  hint,
  schema: v.object({ linked, repositories: v.array(v.object({})) }),
};

function linksPath(folder: string): string {
  return join(folder, 'linked.json');
}
