/** A git working tree for runs. */
export interface Tree {
  /** The real path. */
  readonly root: string;
  readonly gitFolder: string;
  /** The folder of objects and refs; differs from `gitFolder` in a linked worktree. */
  readonly commonFolder: string;
  /** The id of the tree in the deed folder. */
  readonly id: string;
}
