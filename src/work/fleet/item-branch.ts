/** Branches of this name belong to items of a queue. */
export const FLEET_BRANCH = 'deed-fleet/';

/** The branch of a clone on which an attempt at an item runs; its receipt names it. */
export function itemBranch({
  jobId,
  itemId,
  attempt,
}: {
  readonly jobId: string;
  readonly itemId: string;
  readonly attempt: number;
}): string {
  return `${FLEET_BRANCH}${jobId}/${itemId}-${attempt}`;
}
