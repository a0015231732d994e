import type { WorkItem } from '../item/work-item.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The session of an earlier attempt at the item. The workspace was restored to the moment after its last record. */
export interface RestoredSession {
  /** Its records, as the agent stored them. */
  readonly lines: readonly string[];
  /** A message to the agent: what has changed since, such as processes and files that are lost. */
  readonly note: string;
}

/** The run whose session is kept. */
export interface KeptRun {
  readonly runId: string;
  readonly item: WorkItem;
  readonly workspace: Workspace;
  readonly env: Readonly<Record<string, string>>;
}

/** Why a stored session cannot be continued; undefined if it can. */
export type SessionCheck = (lines: readonly string[]) => string | undefined;

/**
 * Port: keeps the session of an agent outside of this host, so that another one can continue it. Without it a session ends with its
 * process.
 *
 * Contract: `save` stores records together with the state of the workspace at this moment, both or none; nothing runs in the workspace
 * meanwhile. It never rejects: what could not be stored is stored with the next call. `restore` is called once, before the agent starts.
 */
export interface SessionKeeper {
  /** Restores the workspace and returns the session; undefined if the agent has to start from the beginning. */
  readonly restore: (check: SessionCheck) => Promise<RestoredSession | undefined>;
  readonly save: (lines: readonly string[], options: { readonly isTreeChanged: boolean }) => Promise<void>;
}
