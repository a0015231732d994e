import { listHistory } from '../../workspace/remote/commit-history.ts';
import { hasCommit } from '../../workspace/remote/remote-refs.ts';
import type { Fleet } from '../fleet.ts';
import type { CheckedEntry, EntryChecks } from './verify-entries.ts';

/** The commits of a branch since its first entry in the ledger. */
export interface BranchReport {
  readonly branch: string;
  /** Null if the remote no longer has the branch; then its commits were not checked. */
  readonly tip: string | null;
  readonly promoted: number;
  /** Commits that no entry names: people or other programs pushed them. */
  readonly others: number;
  /** The newest of them. */
  readonly other_commits: readonly string[];
}

const MAX_LISTED = 20;

/** Checks that the entries of a branch are in its history, each directly on the tip that it names, in their order. */
export async function verifyBranch(
  { workspace, root }: Fleet['remote'],
  {
    branch,
    tip,
    entries,
  }: { readonly branch: string; readonly tip: string | undefined; readonly entries: readonly CheckedEntry[] },
  { report, notices }: Pick<EntryChecks, 'report' | 'notices'>,
): Promise<BranchReport> {
  const landed = entries.filter(({ promotion }) => promotion.after !== promotion.before);
  const common = { branch, promoted: landed.length };
  if (tip === undefined) {
    notices.push(
      `The remote no longer has the branch ${branch}: its commits were not checked, only its ${entries.length} entries.`,
    );
    return { ...common, tip: null, others: 0, other_commits: [] };
  }
  const start = entries[0]?.promotion.before ?? tip;
  const isKnown = await hasCommit(workspace, root, start);
  const commits = await listHistory(workspace, root, { tip, after: isKnown ? start : undefined });
  const found = new Map(commits.map(({ id, parents }, position) => [id, { parents, position }] as const));
  const positionOf = (commit: string): number | undefined =>
    commit === start ? -1 : found.get(commit)?.position;
  let last = -1;
  for (const { entry, commit, promotion } of entries) {
    const { before, after } = promotion;
    const [from, to] = [positionOf(before), positionOf(after)];
    const short = after.slice(0, 10);
    if (from === undefined || to === undefined)
      report(entry, commit, `its commit ${short} is not on ${branch}: the branch was rewound`, promotion);
    else if (from < last)
      report(entry, commit, `starts from a tip of ${branch} that is older than its entry before`, promotion);
    else if (after !== before && found.get(after)?.parents.join() !== before)
      report(entry, commit, `its commit ${short} does not follow the tip that it names`, promotion);
    last = Math.max(last, to ?? last);
  }
  const promoted = new Set(landed.map(({ promotion }) => promotion.after));
  const others = commits.map(({ id }) => id).filter((id) => !promoted.has(id));
  return {
    ...common,
    tip,
    others: others.length,
    other_commits: others.slice(-MAX_LISTED).toReversed(),
  };
}
