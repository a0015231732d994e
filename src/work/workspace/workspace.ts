import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { Confining, Isolation } from './isolation.ts';
import type { Tree } from './tree.ts';

/**
 * Terms. A **tree** is a git working tree of the user. A **snapshot** is the state of its git-visible files at one moment. A
 * **workspace** has the content of the tree and receives the writes of one run; nothing reaches the tree before a **promotion**, which is
 * logged, atomic, and can be rolled back. A **layer** is a temporary workspace on top of a workspace.
 */

/** The machine and its folders. */
export interface WorkspaceContext {
  /** A private folder for workspaces, promotion logs, snapshots and objects: `<DEED_HOME>/work`. */
  readonly folder: string;
  /** Hidden from all commands, because it contains keys and the store. */
  readonly deedHome: string;
  /** Further folders with keys and state of this account, such as the folders of triage. Runs cannot see them either. */
  readonly stateFolders?: readonly string[] | undefined;
  /** The account's home: never used as a tree, and its credential folders are hidden. */
  readonly accountHome: string;
  readonly temporaryFolder: string;
  /** `process.platform`; commands are sandboxed on Linux only. */
  readonly platform: string;
  readonly uid: number;
  readonly gid: number;
  /** The environment for git and the sandbox tools; commands have their own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The command that starts the confinement of a process by Landlock; without it that isolation is not available. */
  readonly confine?: readonly string[] | undefined;
  /** Allows only this isolation; if it is not available, commands are not confined, which needs the consent of the caller. */
  readonly only?: Confining | undefined;
}

export type EntryType = 'file' | 'symlink' | 'dir';

/** One entry of a tree. Only empty folders have an entry. */
export interface TreeEntry {
  readonly type: EntryType;
  /** Permission bits as git and tools see them, 0o000 to 0o777; always 0o777 for links. */
  readonly mode: number;
  /** BLAKE3 of the content, or of the target of a symlink; empty for folders. */
  readonly hash: string;
  readonly size: number;
  /** The target of a symlink. */
  readonly link?: string;
}

/** One changed path, relative to the root of the tree, with `/`. */
export interface TreeChange {
  readonly path: string;
  readonly action: 'create' | 'modify' | 'delete';
  readonly type: EntryType;
  readonly before?: TreeEntry;
  readonly after?: TreeEntry;
  /** Git ignores the path; it is promoted because it was declared, and is not part of the state hash. */
  readonly ignored?: true;
}

/** A path that is not promoted, and why. */
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
  /** Whether every entry belongs to this account and group; an overlay of an ordinary account cannot copy others. */
  readonly ownEntries: boolean;
  readonly skipped: readonly Skipped[];
}

export interface SnapshotOptions {
  /** Also stores the content of every file, as needed by `restoreSnapshot` and `restore`; copies contents that are not stored yet. */
  readonly contents?: boolean;
  /** Called at intervals while files are read; it may throw to cancel the snapshot. */
  readonly onProgress?: (progress: { readonly files: number; readonly total: number }) => void;
}

export type WorkspaceMode = 'overlay' | 'copy';

export interface SandboxPolicy {
  readonly network: boolean;
  /** Absolute paths of folders outside the tree that commands may write to. */
  readonly writePaths?: readonly string[];
  /** Absolute paths inside hidden folders (such as an agent's own credentials) that stay visible. */
  readonly readPaths?: readonly string[];
}

export interface OpenWorkspaceOptions {
  readonly runId: string;
  readonly snapshot: Snapshot;
  /** The tree of the snapshot, if it is already resolved. */
  readonly tree?: Tree;
  readonly policy: SandboxPolicy;
  /** Forces the `copy` mode even if overlays are available. */
  readonly mode?: WorkspaceMode | undefined;
  /** Whether commands may run unsandboxed if this machine cannot confine them; otherwise opening fails with E_CONFIG. */
  readonly allowUnsandboxed?: boolean | undefined;
  /** Paths that are promoted even if git ignores them; their current content is recorded, so that an edit during the run is a conflict. */
  readonly declared?: readonly string[] | undefined;
  /** The mount point of the tree, if it is not its own path: a replay mounts a restored folder at the original path. */
  readonly mountAt?: string;
}

export interface SpawnOptions {
  /** The complete environment of the command; see `childEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the tree's root. */
  readonly cwd?: string;
  /** `tests` uses a separate layer, which is dropped when the command exits. */
  readonly layer?: 'run' | 'tests';
  readonly network?: boolean;
  /** The maximum size of a file. */
  readonly maxFileBytes?: number;
}

/** A command inside a workspace. */
export interface SandboxedProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Settles when the command and all its processes have exited and its outputs are read completely. A command that could not be
   * started is E_CONFIG.
   */
  readonly ended: Promise<SandboxedEnd>;
  /** Kills the command and all its processes, including detached ones. */
  readonly kill: () => void;
}

export interface SandboxedEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface DiffOptions {
  /** Ignored paths or folders that are promoted anyway. */
  readonly declared?: readonly string[];
  /** Allows a diff while a command runs, if that command is paused and writes nothing. */
  readonly whilePaused?: boolean;
}

export interface Diff {
  readonly changes: readonly TreeChange[];
  readonly skipped: readonly Skipped[];
  /** Changed paths that are neither ignored nor UTF-8, so that the changes are incomplete. */
  readonly unsupported: readonly string[];
  /** The number of changed paths that git ignores; they are neither counted nor promoted. */
  readonly ignored: number;
}

/** How the tree has changed since the base of the workspace. */
export interface Drift {
  /** Paths changed by the run and by others. */
  readonly conflicts: readonly string[];
  /** Paths changed only by others. */
  readonly others: readonly string[];
}

export interface Promotion {
  readonly runId: string;
  /** How entries were replaced; `rename-aside` if the file system cannot exchange two names. */
  readonly method: 'exchange' | 'rename-aside';
  readonly fallbacks: readonly string[];
  readonly drift: readonly string[];
}

export interface Workspace {
  readonly runId: string;
  readonly mode: WorkspaceMode;
  readonly isolation: Isolation;
  /** Whether commands are confined; false only with the consent of the caller. */
  readonly sandboxed: boolean;
  /** Messages for the receipt about each weaker fallback. */
  readonly fallbacks: readonly string[];
  /** The path of the tree for commands. */
  readonly root: string;
  /** The base state of this workspace; `rebase` changes it. */
  readonly base: Snapshot;
  /** A writable folder for commands that is not part of the tree. */
  readonly scratch: { readonly host: string; readonly inside: string };
  /** The private home of the commands; undefined if they have the account's own. */
  readonly home?: { readonly host: string; readonly inside: string };
  readonly spawn: (argv: readonly string[], options: SpawnOptions) => SandboxedProcess;
  /** The number of bytes written so far, including the private /tmp. */
  readonly writtenBytes: () => number;
  /** Lists the changes of the run; an identical copy is not a change. Contract: no command is running in the workspace, unless it is paused. */
  readonly diff: (options?: DiffOptions) => Promise<Diff>;
  /** Computes the state hash after these changes without changing anything. */
  readonly hashAfter: (changes: readonly TreeChange[]) => Promise<string>;
  /** Compares the tree with the base. */
  readonly drift: (changes: readonly TreeChange[]) => Promise<Drift>;
  /** Stores the contents of the base for a replay. False if the tree no longer has them. */
  readonly storeBase: () => Promise<boolean>;
  /** Stores both sides of the changes, to show or repeat them later. False if they are too large. */
  readonly storeChanges: (changes: readonly TreeChange[]) => Promise<boolean>;
  /** Makes the current tree the base; the run's writes stay. */
  readonly rebase: () => Promise<Snapshot>;
  /** Applies the changes to the tree, all or none. Contract: a conflict is E_CONFLICT with `details.paths`; nothing is written. */
  readonly promote: (changes: readonly TreeChange[]) => Promise<Promotion>;
  /** Reads the new content of a change, in chunks that share one buffer. */
  readonly readContent: (path: string, entry: TreeEntry) => Iterable<Uint8Array>;
  /** Deletes the workspace. */
  readonly discard: () => Promise<void>;
  /** Releases the workspace without deleting it; `reopenWorkspace` opens it again. */
  readonly close: () => void;
}

/** The outcome of recovering an interrupted promotion. */
export interface Recovered {
  readonly runId: string;
  readonly root: string;
  readonly outcome: 'finished' | 'undone';
  /** Paths that were changed by others since and were not restored. */
  readonly leftAlone: readonly string[];
}

export interface WorkspaceProblem {
  readonly what: string;
  readonly fix: string;
}

export interface WorkspaceProbe {
  readonly mode: WorkspaceMode;
  readonly isolation: Isolation;
  readonly sandboxed: boolean;
  /** Whether this kernel can restrict signals and abstract sockets with Landlock. */
  readonly scopedSignals: boolean;
  readonly problems: readonly WorkspaceProblem[];
}
