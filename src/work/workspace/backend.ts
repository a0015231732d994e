import type { Manifest } from './manifest.ts';
import type { TreeEntry, SandboxedProcess, Skipped, SpawnOptions } from './workspace.ts';

/** Everything a run wrote or deleted, before git determines what is ignored. */
export interface Footprint {
  /** Written entries, whether or not they differ from the base. */
  readonly written: ReadonlyMap<string, TreeEntry>;
  /** Deleted paths of the base. */
  readonly deleted: ReadonlySet<string>;
  /** Deleted paths outside the base, such as ignored ones. */
  readonly deletedOthers: readonly string[];
  readonly skipped: readonly Skipped[];
}

/** One way to provide a run with its own tree. */
export interface Backend {
  readonly start: (argv: readonly string[], options: SpawnOptions) => SandboxedProcess;
  readonly readFootprint: (base: Manifest) => Footprint;
  /** Returns the paths that git ignores, by the rules that the run left. */
  readonly listIgnored: (paths: readonly string[], rulesChanged: boolean) => Promise<readonly string[]>;
  /** The path on the host with the content of a written path. */
  readonly contentPath: (path: string) => string;
  readonly writtenBytes: () => number;
  /** Updates the workspace with paths that changed in the tree since the base and were not changed by the run. */
  readonly syncFromTree: (paths: readonly string[], base: Manifest) => void;
}
