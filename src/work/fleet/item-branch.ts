/** Branches of this name belong to items of a queue. */
export const FLEET_BRANCH = 'deed-fleet/';

/** The branch of a clone on which an attempt at an item runs; its receipt names it. */
export function itemBranch({
  job_id: jobId,
  item_id: itemId,
  attempt,
}: {
  readonly job_id: string;
  readonly item_id: string;
  readonly attempt: number;
}): string {
  return `${FLEET_BRANCH}${jobId}/${itemId}-${attempt}`;
}
