import { chunksOf } from '../../base/chunks-of.ts';
import { Fault } from '../../base/fault.ts';
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

export const ITEM_REFS = 'refs/deed/items';
export const SESSION_REFS = 'refs/deed/sessions';
const MAX_READS = 4;
/** How many refs are read with one process. */
const MAX_LISTED = 500;

/** The ref of an item; ids of jobs and items are valid in refs, except for a few endings. */
export function itemRef(jobId: string, itemId: string): string {
  return `${ITEM_REFS}/${jobId}/${encodeURIComponent(itemId).replaceAll('.', '%2E')}`;
}

/** The refs of the workspaces that sessions of an item had, by attempt. */
export function sessionRef(jobId: string, itemId: string, attempt: number | '*'): string {
  return `${itemRef(jobId, itemId).replace(ITEM_REFS, SESSION_REFS)}/${attempt}`;
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
  const patterns = itemIds?.map((id) => itemRef(jobId, id)) ?? [`${ITEM_REFS}/${jobId}/*`];
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

/**
 * Reads the records of refs that were listed before, by ref. Those that have moved or been deleted since, and those that are not records
 * of their item, are left out.
 */
export async function readListed(
  remote: ItemRemote,
  refs: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, ItemRecord>> {
  const { workspace, root } = remote;
  const found = new Map<string, ItemRecord>();
  for (const part of chunksOf([...refs], MAX_LISTED)) {
    const commits = part.map(([, commit]) => commit);
    const known = await readDocumentCommits(workspace, root, commits);
    const missing = new Map(part.filter(([, commit]) => !known.has(commit)));
    const now = missing.size === 0 ? missing : await listRefs(workspace, remote, [...missing.keys()]);
    await fetchRefs(workspace, remote, [...now.keys()]);
    const texts = missing.size === 0 ? known : await readDocumentCommits(workspace, root, commits);
    for (const [ref, commit] of part) {
      const record = tryOpen(texts.get(commit), ref);
      if (record !== undefined) found.set(ref, record);
    }
  }
  return found;
}

function tryOpen(text: string | undefined, ref: string): ItemRecord | undefined {
  try {
    return openRecord(text, ref);
  } catch (error) {
    if (error instanceof Fault && error.code === 'E_DAMAGED') return undefined;
    throw error;
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
