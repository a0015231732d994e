import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { Tree } from './tree.ts';

/**
 * Terms. A **tree** is a git working tree of the user. A **snapshot** is what its git-visible files were at one moment. A
 * **workspace** is a place that looks like the tree and takes the writes of one run; nothing reaches the tree before a **promotion**,
 * which is journalled, happens whole or not at all, and can be rolled back. A **layer** lies on a workspace and is dropped.
 */

/** The machine as a workspace sees it. */
export interface WorkspaceContext {
  /** A private folder of ours for workspaces, journals, snapshots and objects: `<DEED_HOME>/work`. */
  readonly folder: string;
  /** Hidden from every command, since it holds keys and the store. */
  readonly deedHome: string;
  /** The account's home: never a tree itself, and its credential folders are hidden. */
  readonly accountHome: string;
  readonly temporaryFolder: string;
  /** As `process.platform` names it: commands can be confined on Linux only. */
  readonly platform: string;
  readonly uid: number;
  readonly gid: number;
  /** What git and the tools of the sandbox are found by; commands get their own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

export type EntryType = 'file' | 'symlink' | 'dir';

/** One entry of a tree. A folder counts only where it is empty. */
export interface Entry {
  readonly type: EntryType;
  /** Permission bits as git and tools see them, 0o000 to 0o777; always 0o777 for links. */
  readonly mode: number;
  /** BLAKE3 of the content, or of the target's name for a link; empty for folders. */
  readonly hash: string;
  readonly size: number;
  /** Where a link points. */
  readonly link?: string;
}

/** One path that a run left different. Paths are relative to the tree's root, with `/`. */
export interface Change {
  readonly path: string;
  readonly action: 'create' | 'modify' | 'delete';
  readonly type: EntryType;
  readonly before?: Entry;
  readonly after?: Entry;
  /** Git ignores the path; it is carried over because it was declared, and is no part of the state hash. */
  readonly ignored?: true;
}

/** Something that is not carried over, and why. */
export interface Skipped {
  readonly path: string;
  readonly reason: string;
}

export interface Snapshot {
  readonly id: string;
  /** The real path of the tree. */
  readonly root: string;
  /** BLAKE3 of the canonical manifest. */
  readonly hash: string;
  readonly head: string | null;
  /** Null when HEAD is detached. */
  readonly branch: string | null;
  readonly indexHash: string | null;
  readonly takenAt: string;
  readonly entries: number;
  /** Whether every entry belongs to this account and group; an ordinary account's overlay cannot copy others. */
  readonly ownEntries: boolean;
  readonly skipped: readonly Skipped[];
}

export interface FreezeOptions {
  /** Keeps the content of every file too, so that `thaw` and `restore` need nothing else; costs a copy of what is not yet kept. */
  readonly contents?: boolean;
}

export type WorkspaceMode = 'overlay' | 'copy';

export interface SandboxPolicy {
  readonly network: boolean;
  /** Absolute folders that commands may write outside the tree. */
  readonly writePaths?: readonly string[];
  /** Absolute folders under a hidden place (such as an agent's own credentials) that stay visible. */
  readonly readPaths?: readonly string[];
}

export interface OpenWorkspaceOptions {
  readonly runId: string;
  readonly snapshot: Snapshot;
  /** The tree of the snapshot, where the caller has resolved it. */
  readonly tree?: Tree;
  readonly policy: SandboxPolicy;
  /** Takes the portable way even where the better one works. */
  readonly mode?: WorkspaceMode;
  /** Where commands see the tree, when that is not its own path: a replay mounts a restored folder at the original one. */
  readonly mountAt?: string;
}

export interface SpawnOptions {
  /** The command's whole environment; see `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the tree's root. */
  readonly cwd?: string;
  /** `tests` runs on a layer of its own, which is dropped at the command's end. */
  readonly layer?: 'run' | 'tests';
  readonly network?: boolean;
  /** No file may grow beyond this. */
  readonly maxFileBytes?: number;
}

/** A command inside a workspace. */
export interface SandboxedProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Settles when the command and everything it started are gone, and its outputs are read to their end. A command that could not
   * be started is E_CONFIG.
   */
  readonly ended: Promise<SandboxedEnd>;
  /** Ends the command and everything it started, detached or deaf to signals as it may be. */
  readonly kill: () => void;
}

export interface SandboxedEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface DiffOptions {
  /** Ignored paths, or folders, that count all the same. */
  readonly declared?: readonly string[];
}

export interface Diff {
  readonly changes: readonly Change[];
  readonly skipped: readonly Skipped[];
  /** How many changed paths git ignores; they neither count nor are promoted. */
  readonly ignored: number;
}

/** How the tree has moved away from the workspace's base since it was opened. */
export interface Drift {
  /** Paths that the run changed and somebody else too. */
  readonly conflicts: readonly string[];
  /** Other paths that somebody changed. */
  readonly others: readonly string[];
}

export interface Promotion {
  readonly runId: string;
  /** How entries were put in place; `rename-aside` where the file system cannot exchange two names. */
  readonly method: 'exchange' | 'rename-aside';
  readonly fallbacks: readonly string[];
  readonly drift: readonly string[];
}

export interface Workspace {
  readonly runId: string;
  readonly mode: WorkspaceMode;
  /** Whether commands are confined; false only where bubblewrap cannot run. */
  readonly sandboxed: boolean;
  /** Sentences for the receipt: each thing that is weaker here than in the best mode. */
  readonly fallbacks: readonly string[];
  /** Where commands see the tree. */
  readonly root: string;
  /** The state that this workspace lies on; `rebase` moves it. */
  readonly base: Snapshot;
  /** A folder that commands may write and that is no part of the tree. */
  readonly scratch: { readonly host: string; readonly inside: string };
  readonly spawn: (argv: readonly string[], options: SpawnOptions) => SandboxedProcess;
  /** How much the run has written so far, its private /tmp included. */
  readonly writtenBytes: () => number;
  /** Lists what the run changed; an identical copy is no change. Contract: no command runs in the workspace meanwhile. */
  readonly diff: (options?: DiffOptions) => Promise<Diff>;
  /** Tells what the state hash will be when these changes are on the base, without touching anything. */
  readonly hashAfter: (changes: readonly Change[]) => Promise<string>;
  /** Looks at the tree again. */
  readonly drift: (changes: readonly Change[]) => Promise<Drift>;
  /** Keeps the contents of the base for a replay. False where the tree no longer has them. */
  readonly keepBase: () => boolean;
  /** Takes the tree as it is now for the base; the run's own writes stay. */
  readonly rebase: () => Promise<Snapshot>;
  /** Puts the changes into the tree, all or none. Contract: a conflict is E_CONFLICT with `details.paths`, nothing written. */
  readonly promote: (changes: readonly Change[]) => Promise<Promotion>;
  /** Removes every trace of the workspace. */
  readonly discard: () => Promise<void>;
  /** Gives the workspace out of hand without removing it: `reopenWorkspace` finds it again. */
  readonly close: () => void;
}

/** What became of a promotion that was under way when its process died. */
export interface Recovered {
  readonly runId: string;
  readonly root: string;
  readonly outcome: 'finished' | 'undone';
  /** Paths that somebody else changed after us and that were therefore left alone. */
  readonly leftAlone: readonly string[];
}

export interface WorkspaceProblem {
  readonly what: string;
  readonly fix: string;
}

export interface WorkspaceProbe {
  readonly mode: WorkspaceMode;
  readonly sandboxed: boolean;
  readonly problems: readonly WorkspaceProblem[];
}
