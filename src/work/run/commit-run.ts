import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Receipt } from '../receipt/receipt.ts';
import type { WorkContext } from '../work-context.ts';
import { committableChanges } from '../workspace/landing/committable-changes.ts';
import { findDifferences } from '../workspace/landing/compare-commit.ts';
import { landCommit } from '../workspace/landing/land-commit.ts';
import { moveHead } from '../workspace/landing/move-head.ts';
import { assertOwnTree } from '../workspace/landing/open-checkout.ts';
import { readBranch, readTip } from '../workspace/landing/read-branch.ts';
import { readIdentity } from '../workspace/landing/read-identity.ts';
import { findRunCommit } from '../workspace/landing/run-trailer.ts';
import { readStoredForm } from '../workspace/landing/stored-form.ts';
import { writeCommit } from '../workspace/landing/write-commit.ts';
import type { Identity } from '../workspace/objects/commit-object.ts';
import { readLiveEntry } from '../workspace/read-live-entry.ts';
import { resolveTree } from '../workspace/resolve-tree.ts';
import { objectSource } from '../workspace/rollback-promotion.ts';
import type { TreeChange } from '../workspace/workspace.ts';
import { renderCommitMessage } from './commit-message.ts';
import { requirePromoted } from './rollback-run.ts';
import { readChangesRecord, readExecutedItem } from './run-records.ts';

/** The commit that a run would get: on the checked-out branch, or on another one. */
export interface CommitPlan {
  readonly receipt: Receipt;
  readonly changes: readonly TreeChange[];
  readonly parent: string;
  readonly branch: string | undefined;
  readonly author: Identity;
  /** The folder with the index of the checkout. */
  readonly gitFolder: string;
}

export interface CommittedRun {
  readonly run_id: string;
  readonly receipt_id: string;
  readonly branch: string | null;
  readonly commit: string;
  readonly parent: string;
  readonly files: readonly string[];
}

/** Plans the commit of a promoted run. Rejected if the commit would contain anything other than the run's changes. */
export async function planCommit(
  { home, workspace }: WorkContext,
  runId: string,
  branch: string | undefined,
): Promise<CommitPlan> {
  const receipt = requirePromoted(home, runId);
  const { root } = receipt;
  const changes = committableChanges(readChangesRecord(home, receipt)?.changes ?? []);
  const tree = await resolveTree(workspace, root);
  assertOwnTree(workspace, tree);
  const parent =
    branch === undefined
      ? await requireHead(workspace, root)
      : (await readBranch(workspace, tree, branch)).base;
  const known = await findRunCommit(workspace, root, { revision: parent, runId });
  if (known !== undefined)
    throw conflict(
      `Run "${runId}" is already committed as ${known}.`,
      'It needs no other commit.',
      [],
      runId,
    );
  if (changes.length === 0)
    throw conflict(`Run "${runId}" changed no files that git tracks.`, undefined, [], runId);
  const stored = await readStoredForm(workspace, root, pathsOf(changes));
  const different = await findDifferences(workspace, root, parent, changes, stored);
  if (different.length > 0)
    throw conflict(
      `Before run "${runId}", these files differed from ${parent.slice(0, 12)}: ${different.join(', ')}.`,
      'The commit would contain more than the run changed. Commit the earlier changes first, with git or with "work commit".',
      different,
      runId,
    );
  if (branch === undefined) assertUnchanged(root, runId, changes);
  const { gitFolder } = tree;
  return { receipt, changes, parent, branch, author: await readIdentity(workspace, root), gitFolder };
}

/** Commits a promoted run with its trailers. The index gets only the paths of the run; what else is staged stays staged. */
export async function commitRun(context: WorkContext, plan: CommitPlan): Promise<CommittedRun> {
  const { home, workspace, clock } = context;
  const { receipt, changes, parent, branch, author, gitFolder } = plan;
  const { root, run_id: runId, id: receiptId } = receipt;
  const kept = readExecutedItem(home, receipt);
  const item = kept?.item ?? { id: receipt.work_item_id, agent_id: receipt.agent_id, description: '' };
  const commit = await writeCommit(workspace, {
    root,
    parent,
    changes,
    source: objectSource(workspace),
    stored: await readStoredForm(workspace, root, pathsOf(changes)),
    author,
    message: renderCommitMessage({ runId, receiptId, item, agent: kept?.agent }),
    atMs: clock.now(),
  });
  if (branch === undefined)
    await moveHead(workspace, { root, gitFolder, commit, parent, runId, author, changes });
  else await landCommit(workspace, { root, branch, commit, parent, runId, author });
  const files = pathsOf(changes);
  return { run_id: runId, receipt_id: receiptId, branch: branch ?? null, commit, parent, files };
}

function pathsOf(changes: readonly TreeChange[]): readonly string[] {
  return changes.map(({ path }) => path);
}

async function requireHead(workspace: WorkContext['workspace'], root: string): Promise<string> {
  const head = await readTip(workspace, root, 'HEAD');
  if (head !== null) return head;
  throw new Fault('E_VALIDATION', `${root} has no commit yet.`, {
    hint: 'Commit something with git first.',
    details: { path: root },
  });
}

/** The checkout must still have what the run wrote: otherwise it would differ from the new commit. */
function assertUnchanged(root: string, runId: string, changes: readonly TreeChange[]): void {
  const paths = changes
    .filter(({ path, after }) => {
      const [now] = committableChanges([
        { path, action: 'create', type: 'file', ...liveOf(join(root, path)) },
      ]);
      return now?.after?.hash !== after?.hash || now?.after?.mode !== after?.mode;
    })
    .map(({ path }) => path);
  if (paths.length > 0)
    throw conflict(
      `Changed since run "${runId}": ${paths.join(', ')}.`,
      'Commit these files with git, or undo the later changes; --branch commits what the run wrote.',
      paths,
      runId,
    );
}

function liveOf(path: string): Pick<TreeChange, 'after'> {
  const after = readLiveEntry(path);
  return after === undefined ? {} : { after };
}

function conflict(message: string, hint: string | undefined, paths: readonly string[], id: string): Fault {
  return new Fault('E_CONFLICT', message, {
    ...(hint !== undefined && { hint }),
    details: { field: 'id', id, ...(paths.length > 0 && { paths: [...paths] }) },
  });
}
