import type { WorkspaceContext } from '../workspace/workspace.ts';
import { readDocumentCommits, writeDocumentCommit } from '../workspace/remote/document-commit.ts';
import {
  fetchRefs,
  listRefs,
  swapRefs,
  type RefMove,
  type RemotePlace,
} from '../workspace/remote/remote-refs.ts';
import { notAnItem, parseItemRecord, type ItemRecord } from './item-record.ts';

/** The record of an item, and the commit that holds it: what a later step expects to find. */
export interface StoredRecord {
  readonly commit: string;
  readonly record: ItemRecord;
}

/** The clone of this host, and its remote. */
export interface ItemRemote extends RemotePlace {
  readonly workspace: WorkspaceContext;
  /** Called with each record that this process wrote. Contract: never rejects. */
  readonly onReplaced?: ((record: ItemRecord) => Promise<void>) | undefined;
}

const FOLDER = 'refs/deed/items';
const SESSIONS = 'refs/deed/sessions';
const MAX_READS = 4;

/** The ref of an item; ids of jobs and items are valid in refs, except for a few endings. */
export function itemRef(jobId: string, itemId: string): string {
  return `${FOLDER}/${jobId}/${encodeURIComponent(itemId).replaceAll('.', '%2E')}`;
}

/** The refs of the workspaces that sessions of an item had, by attempt. */
export function sessionRef(jobId: string, itemId: string, attempt: number | '*'): string {
  return `${itemRef(jobId, itemId).replace(FOLDER, SESSIONS)}/${attempt}`;
}

/** Reads the record of an item; undefined if no worker has claimed it yet. */
export async function readItem(
  remote: ItemRemote,
  jobId: string,
  itemId: string,
): Promise<StoredRecord | undefined> {
  const ref = itemRef(jobId, itemId);
  return (await readRefs(remote, [ref])).get(ref);
}

/** Reads the records of the claimed items of a job, all or these, by item. */
export async function readItems(
  remote: ItemRemote,
  jobId: string,
  itemIds?: readonly string[],
): Promise<ReadonlyMap<string, StoredRecord>> {
  const patterns = itemIds?.map((id) => itemRef(jobId, id)) ?? [`${FOLDER}/${jobId}/*`];
  const found = await readRefs(remote, patterns);
  return new Map([...found.values()].map((stored) => [stored.record.item_id, stored]));
}

async function readRefs(
  remote: ItemRemote,
  patterns: readonly string[],
): Promise<ReadonlyMap<string, StoredRecord>> {
  const { workspace, root } = remote;
  for (let reads = 1; ; reads += 1) {
    const refs = await listRefs(workspace, remote, patterns);
    const commits = [...refs.values()];
    const known = await readDocumentCommits(workspace, root, commits);
    const missing = [...refs].filter(([, commit]) => !known.has(commit)).map(([ref]) => ref);
    await fetchRefs(workspace, remote, missing);
    const texts = missing.length === 0 ? known : await readDocumentCommits(workspace, root, commits);
    // A ref may have moved between the list and the fetch; then the list is old.
    if (reads < MAX_READS && commits.some((commit) => !texts.has(commit))) continue;
    return new Map(
      [...refs].map(
        ([ref, commit]) => [ref, { commit, record: openRecord(texts.get(commit), ref) }] as const,
      ),
    );
  }
}

/** Everyone with push access to the remote can copy the record of one item to the ref of another. */
function openRecord(text: string | undefined, ref: string): ItemRecord {
  const record = parseItemRecord(text, ref);
  if (itemRef(record.job_id, record.item_id) === ref) return record;
  throw notAnItem(ref);
}

/**
 * Replaces the record of an item, if it is still the one that the caller read. Further refs move with it, all or none. The commit has
 * the earlier record as its parent, so that the ref keeps its history, and the commit of the run, so that the remote keeps that.
 */
export async function replaceItem(
  remote: ItemRemote,
  previous: StoredRecord | undefined,
  record: ItemRecord,
  others: readonly RefMove[] = [],
): Promise<StoredRecord | undefined> {
  const kept =
    record.commit !== undefined && record.commit !== previous?.record.commit ? [record.commit] : [];
  const commit = await writeDocumentCommit(remote.workspace, remote.root, {
    text: `${JSON.stringify(record)}\n`,
    parents: [...(previous === undefined ? [] : [previous.commit]), ...kept],
    message: `${record.step} ${record.item_id} (attempt ${record.attempt})\n`,
    author: { name: record.by, email: 'deed@localhost' },
    atMs: Date.parse(record.at),
  });
  const ref = itemRef(record.job_id, record.item_id);
  const moves = [...others, { ref, from: previous?.commit ?? null, to: commit }];
  if (!(await swapRefs(remote.workspace, remote, moves))) return undefined;
  await remote.onReplaced?.(record);
  return { commit, record };
}
