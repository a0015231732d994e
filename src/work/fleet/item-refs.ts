import { chunksOf } from '../../base/chunks-of.ts';
import { Fault } from '../../base/fault.ts';
import { ownMember } from '../../base/own-member.ts';
import type { WorkspaceContext } from '../workspace/workspace.ts';
import { documentName, readFiles, writeDocumentCommit } from '../workspace/remote/document-commit.ts';
import {
  fetchRefs,
  listRefs,
  swapRefs,
  type RefMove,
  type RemotePlace,
} from '../workspace/remote/remote-refs.ts';
import { readRefs } from './read-refs.ts';
import { notAnItem, parseItemRecord, type ItemRecord } from './item-record.ts';

/** The record of an item, and the commit that holds it: what a later step expects to find. */
export interface StoredRecord {
  readonly commit: string;
  readonly record: ItemRecord;
  /** Whether only the clone has it: the remote has no ref of the item yet. */
  readonly isUnpushed?: boolean;
}

/** The clone of this host, and its remote. */
export interface ItemRemote extends RemotePlace {
  readonly workspace: WorkspaceContext;
  /** Called with each record that this process wrote. Contract: never rejects. */
  readonly onWritten?: ((record: ItemRecord) => Promise<void>) | undefined;
}

export const ITEM_REFS = 'refs/deed/items';
export const SESSION_REFS = 'refs/deed/sessions';
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
  return (await readItems(remote, jobId, [itemId])).get(itemId);
}

/** Reads the records of the claimed items of a job, by item: those in `itemIds`, or all. */
export async function readItems(
  remote: ItemRemote,
  jobId: string,
  itemIds?: readonly string[],
): Promise<ReadonlyMap<string, StoredRecord>> {
  return (await readItemsWith(remote, { jobId, itemIds }, {})).items;
}

/** The records of items, and the other refs that were read with them. */
export interface ReadRefs {
  readonly items: ReadonlyMap<string, StoredRecord>;
  /** The commits of the other refs that exist, each with the text that was asked for. */
  readonly others: ReadonlyMap<string, { readonly commit: string; readonly text: string }>;
}

/** Reads items and other refs. `others` names what is read of each other ref: a file of its commit, or the commit itself if it is null. */
export async function readItemsWith(
  remote: ItemRemote,
  { jobId, itemIds }: { readonly jobId: string; readonly itemIds?: readonly string[] | undefined },
  others: Readonly<Record<string, string | null>>,
): Promise<ReadRefs> {
  const patterns = itemIds?.map((id) => itemRef(jobId, id)) ?? [`${ITEM_REFS}/${jobId}/*`];
  const { records, others: found } = await readRecords(remote, patterns, others);
  return {
    items: new Map([...records.values()].map((stored) => [stored.record.item_id, stored])),
    others: found,
  };
}

/** Like `readItemsWith`, but by ref patterns, for items of several jobs. Records are returned by ref. */
export async function readRecords(
  remote: ItemRemote,
  patterns: readonly string[],
  others: Readonly<Record<string, string | null>>,
): Promise<{ readonly records: ReadonlyMap<string, StoredRecord>; readonly others: ReadRefs['others'] }> {
  const isOther = (ref: string): boolean => Object.hasOwn(others, ref);
  const nameOf = (ref: string, commit: string): string => {
    const file = ownMember(others, ref);
    if (file === undefined) return documentName(commit);
    return file === null ? commit : `${commit}:${file}`;
  };
  const found = await readRefs(remote, [...patterns, ...Object.keys(others)], nameOf);
  return {
    records: new Map(
      [...found].flatMap(([ref, { commit, text }]) =>
        isOther(ref) ? [] : [[ref, { commit, record: openRecord(text, ref) }]],
      ),
    ),
    others: new Map(
      [...found].flatMap(([ref, { commit, text = '' }]) => (isOther(ref) ? [[ref, { commit, text }]] : [])),
    ),
  };
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
    const names = part.map(([, commit]) => documentName(commit));
    const known = await readFiles(workspace, root, names);
    const missing = new Map(part.filter(([, commit]) => !known.has(documentName(commit))));
    const now = missing.size === 0 ? missing : await listRefs(workspace, remote, [...missing.keys()]);
    await fetchRefs(workspace, remote, [...now.keys()]);
    const texts = missing.size === 0 ? known : await readFiles(workspace, root, names);
    for (const [ref, commit] of part) {
      const record = tryOpen(texts.get(documentName(commit)), ref);
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

/** Writes the first record of an item into the clone. The next one takes it to the remote, if no other process has created the ref. */
export async function writeFirst(remote: ItemRemote, record: ItemRecord): Promise<StoredRecord> {
  const commit = await writeRecord(remote, undefined, record);
  await remote.onWritten?.(record);
  return { commit, record, isUnpushed: true };
}

/** A step of an item: the record that the caller read or wrote, and what replaces it. */
export interface ItemMove {
  readonly previous: StoredRecord | undefined;
  readonly record: ItemRecord;
}

/** Replaces the record of an item, if it is still the one that the caller read or wrote. */
export async function replaceItem(
  remote: ItemRemote,
  previous: StoredRecord | undefined,
  record: ItemRecord,
): Promise<StoredRecord | undefined> {
  return (await replaceItems(remote, [{ previous, record }]))?.[0];
}

/** Replaces the records of items and moves further refs with them, all or none. */
export async function replaceItems(
  remote: ItemRemote,
  steps: readonly ItemMove[],
  others: readonly RefMove[] = [],
): Promise<readonly StoredRecord[] | undefined> {
  const stored: StoredRecord[] = [];
  for (const { previous, record } of steps)
    stored.push({ commit: await writeRecord(remote, previous, record), record });
  const moves = steps.map(({ previous, record }, index) => ({
    ref: itemRef(record.job_id, record.item_id),
    from: previous === undefined || previous.isUnpushed === true ? null : previous.commit,
    to: stored[index]?.commit ?? null,
  }));
  if (!(await swapRefs(remote.workspace, remote, [...others, ...moves]))) return undefined;
  for (const { record } of steps) await remote.onWritten?.(record);
  return stored;
}

/** Writes the commit of a record. Its parents are the commit of the earlier record, so that the ref keeps its history, and the commit of the run, so that the remote keeps it. */
function writeRecord(
  { workspace, root }: ItemRemote,
  previous: StoredRecord | undefined,
  record: ItemRecord,
): Promise<string> {
  const kept =
    record.commit !== undefined && record.commit !== previous?.record.commit ? [record.commit] : [];
  return writeDocumentCommit(workspace, root, {
    text: `${JSON.stringify(record)}\n`,
    parents: [...(previous === undefined ? [] : [previous.commit]), ...kept],
    message: `${record.step} ${record.item_id} (attempt ${record.attempt})\n`,
    author: { name: record.by, email: 'deed@localhost' },
    atMs: Date.parse(record.at),
  });
}
