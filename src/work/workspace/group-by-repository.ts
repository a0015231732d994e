import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parentOf } from './manifest.ts';

/**
 * Queries git about paths, one repository at a time, because git handles only paths of its own repository: `query` gets the path of a
 * repository and names relative to it, and returns some of these names.
 */
export async function groupByRepository(
  root: string,
  paths: readonly string[],
  query: (repository: string, names: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const known = new Map<string, string>([['', '']]);
  const results: string[] = [];
  for (const [repository, inner] of Map.groupBy(paths, (path) => repositoryOf(root, parentOf(path), known))) {
    const prefixLength = repository === '' ? 0 : repository.length + 1;
    const found = await query(
      repository,
      inner.map((path) => path.slice(prefixLength)),
    );
    for (const name of found) results.push(prefixLength === 0 ? name : `${repository}/${name}`);
  }
  return results;
}

function repositoryOf(root: string, folder: string, known: Map<string, string>): string {
  const cached = known.get(folder);
  if (cached !== undefined) return cached;
  const found = existsSync(join(root, folder, '.git')) ? folder : repositoryOf(root, parentOf(folder), known);
  known.set(folder, found);
  return found;
}
