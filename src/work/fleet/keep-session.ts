import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import type { RestoredSession, KeptRun, SessionCheck, SessionKeeper } from '../executors/session-keeper.ts';
import { noteInLog } from '../run/run-log.ts';
import { listRefs, swapRefs } from '../workspace/remote/remote-refs.ts';
import type { Fleet } from './fleet.ts';
import { sessionRef } from './item-refs.ts';
import { applyTree, fetchTree, outcomeOf, pushTree, readTree, type TreeKeeping } from './kept-tree.ts';
import type { SharedDocuments } from './shared-documents.ts';
import {
  putSessionPart,
  removeSession,
  type KeptSession,
  type KeptTree,
  type SessionPlace,
} from './session-records.ts';

type SessionFleet = Pick<Fleet, 'queue' | 'remote' | 'work' | 'report'>;

/** Only this much of a session is stored; the next attempt continues after the last stored part. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Keeps the sessions of an item's agent while this worker runs it. */
export interface ItemSessions {
  readonly open: (run: KeptRun) => SessionKeeper;
  /** Removes what is kept, once the result of the item is in the remote. Contract: never rejects. */
  readonly drop: () => Promise<void>;
}

/** `stored` is what an earlier attempt left; only the first run of this attempt continues it. */
export function keepItemSessions(
  fleet: SessionFleet,
  place: SessionPlace,
  stored: KeptSession | undefined,
): ItemSessions {
  let isKept = stored !== undefined;
  let runs = 0;
  // All runs of an attempt push to its ref, one after the other.
  const tip: PushedTip = { commit: null };
  return {
    open: (run) => {
      runs += 1;
      const keeping = { remote: fleet.remote, place, workspace: run.workspace, item: run.item };
      return createKeeper(fleet, keeping, run, {
        stored: runs === 1 ? stored : undefined,
        isFirst: runs === 1,
        tip,
        onSaved: () => (isKept = true),
      });
    },
    drop: async () => {
      if (isKept) await dropSession(fleet, place);
    },
  };
}

/** The commit that the ref of the attempt has; null if there is no ref yet. */
interface PushedTip {
  commit: string | null;
}

interface KeeperOptions {
  readonly tip: PushedTip;
  readonly stored: KeptSession | undefined;
  readonly isFirst: boolean;
  readonly onSaved: () => void;
}

function createKeeper(
  fleet: SessionFleet,
  keeping: TreeKeeping,
  run: KeptRun,
  { stored, isFirst, onSaved, tip }: KeeperOptions,
): SessionKeeper {
  const { documents } = fleet.queue;
  const { place } = keeping;
  const note = (text: string): void => {
    fleet.report(`${place.itemId}: ${text}`);
    noteInLog(fleet.work.home, run.runId, fleet.work.clock.now(), text);
  };
  const parts = createParts(documents, keeping, tip);
  let problem: string | undefined;
  return {
    restore: async (check) => {
      // An earlier run of this attempt has failed; its session must not be continued.
      if (!isFirst) await removeSession(documents, place);
      if (stored === undefined) return undefined;
      const found = await restoreSession(keeping, stored, run, check);
      if ('problem' in found) {
        note(`the session of attempt ${stored.attempt} is not continued, ${found.problem}; it starts again`);
        await removeSession(documents, place);
        // The next attempt gets a clean workspace.
        if (found.isChanged) throw new Fault('E_INTERRUPTED', found.problem);
        return undefined;
      }
      note(`continues the session of attempt ${stored.attempt}`);
      parts.startFrom(stored);
      return found;
    },
    save: async (lines, { isTreeChanged }) => {
      parts.add(lines, isTreeChanged);
      try {
        if (await parts.write()) onSaved();
        problem = undefined;
      } catch (error) {
        // What was stored before stays valid: records and files of an earlier moment that match.
        const why = errorMessage(error);
        if (why !== problem) note(`another host could not continue this session from here: ${why}`);
        problem = why;
      }
    },
  };
}

/** The parts of a session that this attempt writes, one after the other. */
interface SessionParts {
  /** Starts with the records of an earlier attempt, whose files are in the workspace. */
  readonly startFrom: (stored: KeptSession) => void;
  readonly add: (lines: readonly string[], isTreeChanged: boolean) => void;
  /** Writes what was added, with the files. False if there is nothing; if it throws, the next call writes it. */
  readonly write: () => Promise<boolean>;
}

function createParts(documents: SharedDocuments, keeping: TreeKeeping, tip: PushedTip): SessionParts {
  const { place, item } = keeping;
  let [number, bytes] = [0, 0];
  let pending: string[] = [];
  let tree: KeptTree | null = null;
  // The setup command may have changed files that are not stored yet.
  let isTreeOld = item.setup_command !== undefined;
  const updateTree = async (): Promise<void> => {
    const now = await readTree(keeping);
    if (now.changes.length === 0) tree = null;
    else if (tree !== null && outcomeOf(tree.changes) === outcomeOf(now.changes)) tree = { ...tree, ...now };
    else {
      const commit = await pushTree(keeping, now.changes, tip.commit);
      tip.commit = commit;
      tree = { commit, ...now };
    }
    isTreeOld = false;
  };
  return {
    startFrom: (stored) => {
      pending = [...stored.lines];
      ({ tree } = stored);
      isTreeOld = false;
    },
    add: (lines, isTreeChanged) => {
      pending.push(...lines);
      isTreeOld ||= isTreeChanged;
    },
    write: async () => {
      if (pending.length === 0) return false;
      if (isTreeOld) await updateTree();
      const size = pending.reduce((sum, line) => sum + line.length, 0);
      if (bytes + size > MAX_BYTES) throw new Fault('E_VALIDATION', `it is larger than ${MAX_BYTES} bytes`);
      await putSessionPart(documents, { ...place, number, lines: pending, tree });
      bytes += size;
      number += 1;
      pending = [];
      return true;
    },
  };
}

type Restored = RestoredSession | { readonly problem: string; readonly isChanged: boolean };

async function restoreSession(
  keeping: TreeKeeping,
  stored: KeptSession,
  { env, workspace }: KeptRun,
  check: SessionCheck,
): Promise<Restored> {
  const refused = stored.base === keeping.place.base ? check(stored.lines) : 'it started from another commit';
  if (refused !== undefined) return { problem: refused, isChanged: false };
  try {
    if (stored.tree !== null) await fetchTree(keeping, stored.tree);
  } catch (error) {
    return { problem: errorMessage(error), isChanged: false };
  }
  try {
    const problem = await applyTree(keeping, stored.tree, env);
    if (problem !== undefined) return { problem, isChanged: true };
  } catch (error) {
    return { problem: errorMessage(error), isChanged: true };
  }
  return { lines: stored.lines, note: renderNote(workspace.root) };
}

function renderNote(root: string): string {
  return `The host of this session failed, and you continue on another one. The git tree is now ${root}. Your changes up to here are in it. These are lost: processes that you started, files that git ignores (such as build outputs), files outside the tree, and what you recorded with deed or vybe.`;
}

/** The remote keeps the trees of sessions only while they may be needed. */
async function dropSession(
  { queue, remote, report }: SessionFleet,
  { jobId, itemId, attempt }: SessionPlace,
): Promise<void> {
  try {
    await removeSession(queue.documents, { jobId, itemId, attempt });
    const refs = await listRefs(remote.workspace, remote, [sessionRef(jobId, itemId, '*')]);
    const moves = [...refs].map(([ref, from]) => ({ ref, from, to: null }));
    if (moves.length > 0) await swapRefs(remote.workspace, remote, moves);
  } catch (error) {
    report(`${itemId}: its stored session could not be removed: ${errorMessage(error)}`);
  }
}
