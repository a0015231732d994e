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
import { parseItemRecord, type ItemRecord } from './item-record.ts';

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
  const patterns = itemIds?.map((id) => itemRef(jobId, id)) ?? [`${FOLDER}/${jobId}/*`];
  const isOther = (ref: string): boolean => Object.hasOwn(others, ref);
  const nameOf = (ref: string, commit: string): string => {
    const file = ownMember(others, ref);
    if (file === undefined) return documentName(commit);
    return file === null ? commit : `${commit}:${file}`;
  };
  for (let reads = 1; ; reads += 1) {
    const listed = await listRefs(workspace, remote, [...patterns, ...Object.keys(others)]);
    // A pattern also matches refs that only end like it.
    const refs = [...listed].filter(([ref]) => isOther(ref) || ref.startsWith(`${FOLDER}/${jobId}/`));
    const names = new Map(refs.map(([ref, commit]) => [ref, nameOf(ref, commit)]));
    const known = await readFiles(workspace, root, [...names.values()]);
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
    // A ref may have moved between the list and the fetch; then the list is old.
    if (reads < MAX_READS && missing.some(([, name]) => !fetched.has(name))) continue;
    const found = refs.map(([ref, commit]) => {
      const name = names.get(ref) ?? '';
      return { ref, commit, text: known.get(name) ?? fetched.get(name) };
    });
    const items = found.flatMap(({ ref, commit, text }) =>
      isOther(ref) ? [] : [{ commit, record: parseItemRecord(text, ref) }],
    );
    return {
      items: new Map(items.map((stored) => [stored.record.item_id, stored])),
      others: new Map(
        found.flatMap(({ ref, commit, text = '' }) => (isOther(ref) ? [[ref, { commit, text }]] : [])),
      ),
    };
  }
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
