import { Fault } from '../../base/fault.ts';
import { collectContent } from '../workspace/read-content.ts';
import type { TreeChange } from '../workspace/workspace.ts';
import {
  checkContent,
  hasContent,
  finalEntriesOf,
  pushTree,
  readTree,
  type ContentChange,
  type TreeKeeping,
} from './kept-tree.ts';
import type { SharedDocuments } from './shared-documents.ts';
import { putSessionPart, type KeptSession, type KeptTree } from './session-records.ts';

/** Only this much of a session is stored; the next attempt continues after the last stored part. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Contents up to this size are stored with the records of a part: a push takes twenty times as long. */
const MAX_CONTENT_BYTES = 64 * 1024;

/** The commit that the ref of the attempt has; null if there is no ref yet. */
export interface PushedTip {
  commit: string | null;
}

/** The parts of a session that this attempt writes, one after the other. */
export interface SessionParts {
  /** Starts with the records of an earlier attempt, whose files are in the workspace. */
  readonly startFrom: (stored: KeptSession) => void;
  readonly add: (lines: readonly string[], isTreeChanged: boolean) => void;
  /** Writes what was added, with the files. False if there is nothing; if it throws, the next call writes it. */
  readonly write: () => Promise<boolean>;
}

export function createSessionParts(
  documents: SharedDocuments,
  keeping: TreeKeeping,
  tip: PushedTip,
): SessionParts {
  const { place, item } = keeping;
  let [number, bytes] = [0, 0];
  let pending: { readonly lines: string[]; readonly contents: Map<string, string> } = nothing();
  let tree: KeptTree | null = null;
  const kept = createKeptContents();
  // The setup command may have changed files that are not stored yet.
  let isTreeOld = item.setup_command !== undefined;

  const updateTree = async (): Promise<void> => {
    const now = await readTree(keeping);
    if (now.changes.length === 0) tree = null;
    else if (tree !== null && finalEntriesOf(tree.changes) === finalEntriesOf(now.changes))
      tree = { ...tree, ...now };
    else tree = { commit: await storeContents(now.changes), ...now };
    isTreeOld = false;
  };
  /** Stores the contents that nothing has yet, with the records or in a commit; returns the commit that has the other ones. */
  const storeContents = async (changes: readonly TreeChange[]): Promise<string | null> => {
    const missing = changes.filter(hasContent).filter(kept.misses);
    if (missing.reduce((sum, { after }) => sum + after.size, 0) <= MAX_CONTENT_BYTES) {
      for (const change of missing) {
        const { path, after } = change;
        const content = collectContent(keeping.workspace.readContent(path, after));
        pending.contents.set(after.hash, checkContent(change, content).toString('base64'));
        kept.addToRecords(after.hash);
      }
    } else {
      tip.commit = await pushTree(keeping, changes, tip.commit);
      kept.setCommit(tip.commit, changes.filter(hasContent));
    }
    return kept.commit();
  };

  return {
    startFrom: (stored) => {
      pending = { lines: [...stored.lines], contents: new Map(Object.entries(stored.contents)) };
      for (const hash of pending.contents.keys()) kept.addToRecords(hash);
      ({ tree } = stored);
      kept.setCommit(tree?.commit ?? null, tree?.changes.filter(hasContent).filter(kept.misses) ?? []);
      isTreeOld = false;
    },
    add: (lines, isTreeChanged) => {
      pending.lines.push(...lines);
      isTreeOld ||= isTreeChanged;
    },
    write: async () => {
      if (pending.lines.length === 0) return false;
      if (isTreeOld) await updateTree();
      const { lines } = pending;
      const size = [...lines, ...pending.contents.values()].reduce((sum, text) => sum + text.length, 0);
      if (bytes + size > MAX_BYTES) throw new Fault('E_VALIDATION', `it is larger than ${MAX_BYTES} bytes`);
      const contents = Object.fromEntries(pending.contents);
      await putSessionPart(documents, { ...place, number, lines, tree, contents });
      bytes += size;
      number += 1;
      pending = nothing();
      return true;
    },
  };
}

function nothing(): { readonly lines: string[]; readonly contents: Map<string, string> } {
  return { lines: [], contents: new Map() };
}

/** Which contents the records of a session have, and which its last commit has. */
interface KeptContents {
  readonly misses: (change: ContentChange) => boolean;
  readonly addToRecords: (hash: string) => void;
  readonly setCommit: (commit: string | null, changes: readonly ContentChange[]) => void;
  readonly commit: () => string | null;
}

function createKeptContents(): KeptContents {
  const inRecords = new Set<string>();
  let last: { readonly commit: string | null; readonly hashes: ReadonlyMap<string, string> } = {
    commit: null,
    hashes: new Map(),
  };
  return {
    misses: ({ path, after }) => !inRecords.has(after.hash) && last.hashes.get(path) !== after.hash,
    addToRecords: (hash) => void inRecords.add(hash),
    setCommit: (commit, changes) => {
      last = { commit, hashes: new Map(changes.map(({ path, after }) => [path, after.hash])) };
    },
    commit: () => last.commit,
  };
}
