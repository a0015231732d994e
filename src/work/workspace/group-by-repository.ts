import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parentOf } from './manifest.ts';

/**
 * Asks a question about paths repository by repository, since git answers only for its own: `ask` gets a repository's place and
 * names relative to it, and answers with some of those names.
 */
export async function groupByRepository(
  root: string,
  paths: readonly string[],
  ask: (repository: string, names: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const known = new Map<string, string>([['', '']]);
  const answers: string[] = [];
  for (const [repository, inner] of Map.groupBy(paths, (path) => repositoryOf(root, parentOf(path), known))) {
    const cut = repository === '' ? 0 : repository.length + 1;
    const found = await ask(
      repository,
      inner.map((path) => path.slice(cut)),
    );
    for (const name of found) answers.push(cut === 0 ? name : `${repository}/${name}`);
  }
  return answers;
}

function repositoryOf(root: string, folder: string, known: Map<string, string>): string {
  const cached = known.get(folder);
  if (cached !== undefined) return cached;
  const found = existsSync(join(root, folder, '.git')) ? folder : repositoryOf(root, parentOf(folder), known);
  known.set(folder, found);
  return found;
}
