/** A git working tree for runs. */
export interface Tree {
  /** The real path. */
  readonly root: string;
  readonly gitFolder: string;
  /** The folder of objects and refs; differs from `gitFolder` in a linked worktree. */
  readonly commonFolder: string;
  /** The id of the tree in the deed folder. */
  readonly id: string;
  /** Set if the tree is a private checkout of a branch of another tree. */
  readonly checkout?: BranchCheckout | undefined;
}

/** What a private checkout takes from the user's tree. Commands see it at the path of that tree. */
export interface BranchCheckout {
  /** The user's tree. */
  readonly root: string;
  readonly branch: string;
  /** The folder with the objects of the user's repository. */
  readonly objects: string;
  /** Ignored folders of the user's tree, such as node_modules; commands see them in the checkout. */
  readonly folders: readonly string[];
}

/** The folder with the objects of the user's repository in a sandbox with mounts: the checkout covers their own path there. */
export const BASE_OBJECTS_INSIDE = '/run/deed-base-objects';

/** The folder behind an ignored folder of a tree, which a private checkout takes from the user's tree. */
export function ignoredSource({ root, checkout }: Pick<Tree, 'root' | 'checkout'>, name: string): string {
  return checkout?.folders.includes(name) === true ? `${checkout.root}/${name}` : `${root}/${name}`;
}
