import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { WorkspaceContext } from './workspace.ts';

/** The folders with keys, tokens, trust, audit log and sessions of this account, by their real paths. */
export function listStateFolders({
  deedHome,
  stateFolders = [],
}: Pick<WorkspaceContext, 'deedHome' | 'stateFolders'>): readonly string[] {
  return [deedHome, ...stateFolders].map(realPathOf);
}

/** Returns the real path. If the path does not exist yet, the existing folders above it are resolved. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}
