import type { Manifest } from './manifest.ts';
import type { Entry, SandboxedProcess, Skipped, SpawnOptions } from './workspace.ts';

/** What a run left behind, before git is asked what of it counts. */
export interface Footprint {
  /** Entries that were written, whether or not they differ from the base. */
  readonly written: ReadonlyMap<string, Entry>;
  /** Paths of the base that are gone. */
  readonly gone: ReadonlySet<string>;
  /** Paths beside the base, such as ignored ones, that are gone. */
  readonly goneOthers: readonly string[];
  readonly skipped: readonly Skipped[];
}

/** One way to give a run a tree of its own. */
export interface Backend {
  readonly start: (argv: readonly string[], options: SpawnOptions) => SandboxedProcess;
  readonly readFootprint: (base: Manifest) => Footprint;
  /** Tells which of these paths git ignores, by the rules as the run left them. */
  readonly listIgnored: (paths: readonly string[], rulesChanged: boolean) => Promise<readonly string[]>;
  /** Where on the machine the content of a written path lies. */
  readonly contentPath: (path: string) => string;
  readonly writtenBytes: () => number;
  /** Brings paths that changed in the tree since the base, and not in the run, into the workspace. */
  readonly follow: (paths: readonly string[], base: Manifest) => void;
}
