import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../../scripts/build-constants.ts';

/** A source file for the architecture tests. */
export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
}

export interface Import {
  readonly specifier: string;
  /** For relative imports: the imported file. */
  readonly target: string | undefined;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?[^;'"]*?from\s+'([^']+)'|(?:^|\n)import\s+'([^']+)'|import\(\s*'([^']+)'\s*\)/gu;

/** Reads every TypeScript file below a folder of the repository. */
export function readSources(folder: string, name = /\.ts$/u): readonly SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path))
    .map((path) => readSource(join(folder, path)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return { path, text, lines: text.split('\n').length - 1, imports: parseImports(text, path) };
}

/** Finds the imports in a file's text. */
export function parseImports(text: string, path: string): readonly Import[] {
  return [...text.matchAll(IMPORT)].map((match) => {
    const specifier = match[2] ?? match[3] ?? match[4] ?? '';
    const target = specifier.startsWith('.')
      ? relative(ROOT, join(ROOT, dirname(path), specifier))
      : undefined;
    return { specifier, target, typeOnly: match[1] !== undefined, dynamic: match[4] !== undefined };
  });
}
