import { placeRefs } from '../workspace/remote/merge-commit.ts';
import type { ItemRemote } from './item-refs.ts';

/** The ref by which a clone remembers the tip of a branch of its remote. */
export function knownBranch(branch: string): string {
  return `refs/deed/branches/${branch}`;
}

/** What this process has remembered, by clone and ref. */
const kept = new Map<string, string>();

/**
 * Remembers commits that the clone has. Git tells the remote only about commits of refs: without these, each fetch would transfer
 * everything since the clone was made.
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

/** The same for refs that a push has moved. */
export function assumeKnown(
  { root }: Pick<ItemRemote, 'root'>,
  refs: Readonly<Record<string, string>>,
): void {
  for (const [ref, commit] of Object.entries(refs)) kept.set(`${root}\0${ref}`, commit);
}
