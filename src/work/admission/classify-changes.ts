import { matchesGlob } from 'node:path';
import { treePath } from '../item/work-item.ts';
import type { Delta, Deltas } from '../run/run-capsule.ts';

/** Globs that assign changed paths to deltas, relative to the root of the tree. */
export interface DeltaPatterns {
  /** Tests and invariants. */
  readonly quality: readonly string[];
  /** Rules: configuration, CI, policies. */
  readonly rules: readonly string[];
  /** Projections: generated files. Declared output files are projections too. */
  readonly projections: readonly string[];
}

export const DEFAULT_PATTERNS: DeltaPatterns = {
  quality: [
    '**/{test,tests,__tests__,spec,specs,testdata,fixtures}/**',
    '**/*{.,_,-}{test,tests,spec}.*',
    '**/{test,conftest,test_*}.py',
    '**/*.snap',
  ],
  rules: [
    '.github/**',
    '.gitlab-ci.yml',
    '.circleci/**',
    '{**/,}{.editorconfig,.gitattributes,.gitignore,.npmrc,.deed.json,.mcp.json}',
    '{**/,}{package.json,pyproject.toml,Cargo.toml,go.mod,Makefile,Dockerfile,CODEOWNERS}',
    '{**/,}{tsconfig,jsconfig}*.json',
    '{**/,}*.config.{js,cjs,mjs,ts,cts,mts,json}',
    '{**/,}.{eslintrc,prettierrc,oxlintrc,stylelintrc,babelrc}*',
    '{**/,}{AGENTS,CLAUDE}.md',
    '{policy,policies}/**',
  ],
  projections: [
    '{**/,}{dist,build,generated,__generated__}/**',
    '{**/,}*.generated.*',
    '{**/,}*.min.{js,css}',
    '{**/,}{package-lock.json,pnpm-lock.yaml,yarn.lock,Cargo.lock,go.sum,poetry.lock,uv.lock}',
  ],
};

/** Assigns every change to exactly one delta: the first match of quality, rules and projections, otherwise the work itself. */
export function classifyChanges(
  changes: readonly Delta[],
  outputFiles: readonly string[],
  patterns: DeltaPatterns = DEFAULT_PATTERNS,
): Deltas {
  const declared = new Set(outputFiles.map(treePath));
  const sorted = { deltaO: [], deltaPi: [], deltaLambda: [], deltaQ: [] } as Record<keyof Deltas, Delta[]>;
  for (const change of changes) sorted[classOf(change.target, declared, patterns)].push(change);
  return sorted;
}

function classOf(path: string, declared: ReadonlySet<string>, patterns: DeltaPatterns): keyof Deltas {
  const matches = (globs: readonly string[]): boolean => globs.some((glob) => matchesGlob(path, glob));
  if (matches(patterns.quality)) return 'deltaQ';
  if (matches(patterns.rules)) return 'deltaLambda';
  return declared.has(path) || matches(patterns.projections) ? 'deltaPi' : 'deltaO';
}
