import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readFileIfPresent } from '../../system/durable-file.ts';

const FILE = 'AGENTS.md';
const MAX_BYTES = 256 * 1024;
const MAX_LEVELS = 64;

/**
 * Renders the AGENTS.md files from the root of the repository, which contains .git, down to a folder; outside a repository only the file of
 * the folder. The file of the folder itself comes last. Returns undefined when there is no file.
 */
export function renderAgentsMd(folder: string): string | undefined {
  const sections = treeOf(folder).flatMap((path) => {
    const text = readFileIfPresent(join(path, FILE), MAX_BYTES)?.trim() ?? '';
    return text === '' ? [] : [`${join(path, FILE)}:\n\n${text}`];
  });
  if (sections.length === 0) return undefined;
  return [
    'Notes of the project for agents; the last one is the nearest and takes precedence:',
    ...sections,
  ].join('\n\n');
}

/** Returns the folders from the root of the repository to this one. */
function treeOf(folder: string): readonly string[] {
  const folders = [folder];
  for (let path = folder; folders.length < MAX_LEVELS; path = dirname(path)) {
    if (existsSync(join(path, '.git'))) return folders;
    if (dirname(path) === path) break;
    folders.unshift(dirname(path));
  }
  return [folder];
}
