import { statSync } from 'node:fs';
import type { WorkspaceContext } from './workspace.ts';

/** An account. */
export interface TreeOwner {
  readonly uid: number;
  readonly gid: number;
}

/** The owner of a tree if root works for another account: commands then run as the owner. */
export function ownerOf(context: Pick<WorkspaceContext, 'uid'>, root: string): TreeOwner | undefined {
  const { uid, gid } = statSync(root);
  return context.uid === 0 && uid !== 0 ? { uid, gid } : undefined;
}
