import { rememberFor } from '../../base/remember-for.ts';
import { resolveTree } from './resolve-tree.ts';
import type { WorkspaceContext } from './workspace.ts';

const TREE_MS = 30_000;

/** The tree of a clone in which many items run; its place does not change meanwhile. */
export const rememberedTree = rememberFor(
  TREE_MS,
  (_context: WorkspaceContext, root: string) => root,
  resolveTree,
);
