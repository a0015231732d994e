import type { Clock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import type { ReleaseTrust } from './release-trust.ts';

/** Dependencies of an update. */
export interface UpdateContext {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly arch: string;
  readonly userHome: string;
  /** The path of the running program. */
  readonly executable: string;
  readonly home: {
    readonly path: string;
    readonly at: (...segments: string[]) => string;
    readonly folder: (...segments: string[]) => string;
  };
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
  readonly warn: (message: string) => void;
  /** Sets the error to report if the process must exit before the update has finished. */
  readonly onForcedExit: (createFault: () => Fault) => void;
  readonly releaseUrl: string;
  /** Skill folders of further agents. */
  readonly skillFolders: readonly string[];
  /** The maximum time without data from a server. */
  readonly timeoutMs: number;
  readonly trust: ReleaseTrust;
}

/** The parameters of an update. */
export interface UpdateRequest {
  readonly runningVersion: string;
  /** The version to install, as the caller wrote it; by default the newest. */
  readonly targetVersion: string | undefined;
}
