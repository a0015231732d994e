import { chunksOf } from '../../base/chunks-of.ts';
import { Fault } from '../../base/fault.ts';
import { ownMember } from '../../base/own-member.ts';
import type { WorkspaceContext } from '../workspace/workspace.ts';
import {
  documentName,
  readFiles,
  readRecentFiles,
  writeDocumentCommit,
} from '../workspace/remote/document-commit.ts';
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
const MAX_REMEMBERED = 10_000;

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

/** Reads the records of the claimed items of a job, all or these, by item. */
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

/**
 * Reads items and other refs in one request to the remote, and fetches what the clone does not have in another one. `others` names what
 * is read of each other ref: a file of its commit, or the commit itself if it is null.
 */
export async function readItemsWith(
  remote: ItemRemote,
  { jobId, itemIds }: { readonly jobId: string; readonly itemIds?: readonly string[] | undefined },
  others: Readonly<Record<string, string | null>>,
): Promise<ReadRefs> {
  const { workspace, root } = remote;
  const patterns = itemIds?.map((id) => itemRef(jobId, id)) ?? [`${ITEM_REFS}/${jobId}/*`];
  const isOther = (ref: string): boolean => Object.hasOwn(others, ref);
  const nameOf = (ref: string, commit: string): string => {
    const file = ownMember(others, ref);
    if (file === undefined) return documentName(commit);
    return file === null ? commit : `${commit}:${file}`;
  };
  for (let reads = 1; ; reads += 1) {
    const listed = await listRefs(workspace, remote, [...patterns, ...Object.keys(others)]);
    const names = new Map([...listed].map(([ref, commit]) => [ref, nameOf(ref, commit)]));
    const known = await readKnown(remote, [...names.values()]);
    const missing = [...names].filter(([, name]) => !known.has(name));
    await fetchRefs(
      workspace,
      remote,
      missing.map(([ref]) => ref),
    );
    const fetched = await readFiles(
      workspace,
      root,
      missing.map(([, name]) => name),
    );
    if (readBefore.size > MAX_REMEMBERED) readBefore.clear();
    for (const name of fetched.keys()) readBefore.add(name);
    // A ref may have moved between the list and the fetch; then the list is old.
    if (reads < MAX_READS && missing.some(([, name]) => !fetched.has(name))) continue;
    const found = [...listed].map(([ref, commit]) => {
      const name = names.get(ref) ?? '';
      return { ref, commit, text: known.get(name) ?? fetched.get(name) };
    });
    const items = found.flatMap(({ ref, commit, text }) =>
      isOther(ref) ? [] : [{ commit, record: openRecord(text, ref) }],
    );
    return {
      items: new Map(items.map((stored) => [stored.record.item_id, stored])),
      others: new Map(
        found.flatMap(({ ref, commit, text = '' }) => (isOther(ref) ? [[ref, { commit, text }]] : [])),
      ),
    };
  }
}

/** What this process has fetched, which is in its clone. */
const readBefore = new Set<string>();

/** Reads what the clone has, without a process for what it probably does not have: a ref that moved is usually new to it. */
async function readKnown(
  { workspace, root }: ItemRemote,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const recent = await readRecentFiles(workspace, root, names);
  const packed = names.filter((name) => !recent.has(name) && readBefore.has(name));
  return packed.length === 0 ? recent : new Map([...recent, ...(await readFiles(workspace, root, packed))]);
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
