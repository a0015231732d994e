/** A working tree that a run may lie on. */
export interface Tree {
  /** Its real path. */
  readonly root: string;
  readonly gitFolder: string;
  /** Where objects and refs are; another folder than `gitFolder` in a linked worktree. */
  readonly commonFolder: string;
  /** Names the tree in our own folders. */
  readonly id: string;
}
