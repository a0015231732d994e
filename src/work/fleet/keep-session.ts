import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import type { RestoredSession, KeptRun, SessionCheck, SessionKeeper } from '../executors/session-keeper.ts';
import { noteInLog } from '../run/run-log.ts';
import { listRefs, swapRefs, type RefMove } from '../workspace/remote/remote-refs.ts';
import type { Fleet } from './fleet.ts';
import { sessionRef } from './item-refs.ts';
import { applyTree, fetchTree, type TreeKeeping } from './kept-tree.ts';
import { createSessionParts, type PushedTip } from './session-parts.ts';
import { removeSession, type KeptSession, type SessionPlace } from './session-records.ts';

type SessionFleet = Pick<Fleet, 'queue' | 'remote' | 'work' | 'report'>;

/** Keeps the sessions of an item's agent while this worker runs it. */
export interface ItemSessions {
  readonly open: (run: KeptRun) => SessionKeeper;
  /** The deletion of the ref that this attempt pushed, for the push of the result. */
  readonly endOfRef: () => readonly RefMove[];
  /** Removes what else is kept, once the result of the item is in the remote. Contract: never rejects. */
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
    endOfRef: () =>
      tip.commit === null
        ? []
        : [{ ref: sessionRef(place.jobId, place.itemId, place.attempt), from: tip.commit, to: null }],
    drop: async () => {
      if (isKept) await dropSession(fleet, place);
    },
  };
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
  const parts = createSessionParts(documents, keeping, tip);
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
    if (stored.tree !== null) await fetchTree(keeping, stored.tree, stored.contents);
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

/** The remote keeps the trees of sessions only while they may be needed. Earlier attempts may have left some, too. */
async function dropSession(
  { queue, remote, report }: SessionFleet,
  { jobId, itemId, attempt }: SessionPlace,
): Promise<void> {
  try {
    await removeSession(queue.documents, { jobId, itemId, attempt });
    if (attempt === 1) return;
    const refs = await listRefs(remote.workspace, remote, [sessionRef(jobId, itemId, '*')]);
    const moves = [...refs].map(([ref, from]) => ({ ref, from, to: null }));
    if (moves.length > 0) await swapRefs(remote.workspace, remote, moves);
  } catch (error) {
    report(`${itemId}: its stored session could not be removed: ${errorMessage(error)}`);
  }
}
