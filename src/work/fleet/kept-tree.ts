import { blake3Hex } from '../../system/blake3.ts';
import { Fault } from '../../base/fault.ts';
import { canonicalJson } from '../../base/json.ts';
import { ownMember } from '../../base/own-member.ts';
import { treePath, type WorkItem } from '../item/work-item.ts';
import { reapplyChanges } from '../run/reapply-changes.ts';
import { isGitPath } from '../workspace/git-name.ts';
import { listCommitted } from '../workspace/landing/compare-commit.ts';
import { readBlobs } from '../workspace/landing/write-commit-files.ts';
import { writeCommit } from '../workspace/landing/write-commit.ts';
import { putObject } from '../workspace/object-store.ts';
import { completeCommit } from '../workspace/remote/complete-commit.ts';
import { fetchRefs, hasCommit, listRefs, swapRefs } from '../workspace/remote/remote-refs.ts';
import { isUnsupported } from '../workspace/unsupported-name.ts';
import type { TreeChange, TreeEntry, Workspace } from '../workspace/workspace.ts';
import { sessionRef, type ItemRemote } from './item-refs.ts';
import type { KeptContents, KeptTree, SessionPlace } from './session-records.ts';

/** More changes than any item may make in the end. */
const MAX_CHANGES = 2000;

/** The workspace of a run, and where its state is kept. */
export interface TreeKeeping {
  readonly remote: ItemRemote;
  readonly place: SessionPlace;
  readonly workspace: Workspace;
  readonly item: WorkItem;
}

/** Lists the changes of a workspace that a commit can contain. Throws if a commit cannot contain some of them. */
export async function readTree({ workspace, item }: TreeKeeping): Promise<Omit<KeptTree, 'commit'>> {
  const declared = (item.output_files ?? []).map(treePath);
  const { changes, ignored, unsupported } = await workspace.diff({ declared, whilePaused: true });
  if (unsupported.length === 0 && changes.length <= MAX_CHANGES) return { changes, ignored };
  const what = unsupported.length > 0 ? 'names that are not UTF-8' : `${changes.length} changes`;
  throw new Fault('E_VALIDATION', `The workspace has ${what}.`);
}

/** Whether a change leaves something that has a content. */
export function hasContent(change: TreeChange): change is ContentChange {
  return change.after !== undefined && change.after.type !== 'dir';
}

export type ContentChange = TreeChange & { readonly after: TreeEntry };

/** Pushes the changes of a workspace as a commit on top of the one before, so that both stay in the remote. */
export async function pushTree(
  keeping: TreeKeeping,
  changes: readonly TreeChange[],
  previous: string | null,
): Promise<string> {
  const { remote, place, workspace } = keeping;
  const { jobId, itemId, attempt, base } = place;
  const { workspace: context, root } = remote;
  const commit = await writeCommit(context, {
    root,
    parent: base,
    ...(previous !== null && { onto: previous }),
    changes,
    source: workspace.readContent,
    author: { name: 'deed', email: 'deed@localhost' },
    message: `session ${itemId} (attempt ${attempt})\n`,
    atMs: context.clock.now(),
  });
  const ref = sessionRef(jobId, itemId, attempt);
  if (await swapRefs(context, remote, [{ ref, from: previous, to: commit }])) return commit;
  throw new Fault('E_CONFLICT', `Another process moved ${ref}.`);
}

/** Gets the contents of a kept tree, from its records and from the remote. Changes nothing in the workspace. Throws if one is missing or different. */
export async function fetchTree(keeping: TreeKeeping, tree: KeptTree, contents: KeptContents): Promise<void> {
  const { workspace: context } = keeping.remote;
  const outside = tree.changes.find(({ path }) => !isInside(path));
  if (outside !== undefined) throw new Fault('E_DAMAGED', `Invalid path: ${JSON.stringify(outside.path)}.`);
  const inCommit: ContentChange[] = [];
  for (const change of tree.changes.filter(hasContent)) {
    const text = ownMember(contents, change.after.hash);
    if (text === undefined) inCommit.push(change);
    else putObject(context, checkContent(change, Buffer.from(text, 'base64')));
  }
  if (inCommit.length > 0) await fetchFromCommit(keeping, tree.commit, inCommit);
}

async function fetchFromCommit(
  { remote, place }: TreeKeeping,
  commit: string | null,
  needed: readonly ContentChange[],
): Promise<void> {
  const { workspace: context, root } = remote;
  if (commit === null) throw new Fault('E_DAMAGED', `The content of ${needed[0]?.path} was not stored.`);
  if (!(await hasCommit(context, root, commit))) {
    const refs = await listRefs(context, remote, [sessionRef(place.jobId, place.itemId, '*')]);
    await fetchRefs(context, remote, [...refs.keys()]);
  }
  await completeCommit(context, remote, commit);
  const entries = await listCommitted(
    context,
    root,
    commit,
    needed.map(({ path }) => path),
  );
  for (const change of needed) {
    const entry = entries.get(change.path);
    // Everyone with push access could have put a huge file there: only what has the size of the record is read.
    const [content] =
      entry?.bytes === change.after.size && entry ? await readBlobs(context, root, [entry]) : [];
    putObject(context, checkContent(change, content));
  }
}

/** Returns the content if it is the recorded one. */
export function checkContent({ path, after }: ContentChange, content: Buffer | undefined): Buffer {
  if (content !== undefined && blake3Hex(content) === after.hash) return content;
  throw new Fault('E_DAMAGED', `What was stored for ${path} is not its recorded content.`);
}

function isInside(path: string): boolean {
  const names = path.split('/');
  return (
    !names.some((name) => name === '' || name === '.' || name === '..') &&
    !isGitPath(path) &&
    !isUnsupported(path)
  );
}

/** Makes a workspace as it was. Returns why that is not possible; then the workspace must not be used. */
export async function applyTree(
  keeping: TreeKeeping,
  tree: KeptTree | null,
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { remote, workspace } = keeping;
  const changes = tree?.changes ?? [];
  const conflict = await reapplyChanges({ workspace: remote.workspace }, workspace, changes, env);
  if (conflict !== undefined) return conflict;
  const now = await readTree(keeping);
  return finalEntriesOf(now.changes) === finalEntriesOf(changes)
    ? undefined
    : 'its files differ from the stored ones';
}

/** What the changes leave, regardless of their order. */
export function finalEntriesOf(changes: readonly TreeChange[]): string {
  const entries = changes.map(({ path, after }) => [path, after ?? null] as const);
  return canonicalJson(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
