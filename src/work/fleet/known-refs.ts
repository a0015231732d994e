import { placeRefs } from '../workspace/remote/merge-commit.ts';
import type { ItemRemote } from './item-refs.ts';

/** The ref in which a clone stores the tip of a branch of its remote. */
export function knownBranch(branch: string): string {
  return `refs/deed/branches/${branch}`;
}

/** The refs that this process has written, by clone and ref. */
const kept = new Map<string, string>();

/**
 * Writes refs for commits that the clone has. In a fetch, git offers the remote only commits that refs name: without these refs, each
 * fetch would transfer everything since the clone was made.
 */
export async function keepKnown(
  { workspace, root }: Pick<ItemRemote, 'workspace' | 'root'>,
  refs: Readonly<Record<string, string>>,
): Promise<void> {
  const changed = Object.entries(refs).filter(([ref, commit]) => kept.get(`${root}\0${ref}`) !== commit);
  if (changed.length === 0) return;
  await placeRefs(workspace, root, Object.fromEntries(changed));
  assumeKnown({ root }, refs);
}

/** Records that these refs were written, when a push has moved them. */
export function assumeKnown(
  { root }: Pick<ItemRemote, 'root'>,
  refs: Readonly<Record<string, string>>,
): void {
  for (const [ref, commit] of Object.entries(refs)) kept.set(`${root}\0${ref}`, commit);
}
