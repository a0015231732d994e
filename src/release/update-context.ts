import type { Clock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import type { ReleaseTrust } from './release-trust.ts';

/** Everything an update uses from outside. */
export interface UpdateContext {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly arch: string;
  readonly userHome: string;
  /** The file of the running program. */
  readonly executable: string;
  readonly home: {
    readonly path: string;
    readonly at: (...segments: string[]) => string;
    readonly folder: (...segments: string[]) => string;
  };
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
  readonly warn: (message: string) => void;
  /** Takes what to answer if the process must end before the update came to rest. */
  readonly onForcedExit: (tell: () => Fault) => void;
  readonly releaseUrl: string;
  /** Further folders of skills that hold a Skill of ours. */
  readonly skillFolders: readonly string[];
  /** How long a server may be silent. */
  readonly timeoutMs: number;
  readonly trust: ReleaseTrust;
}

/** What the caller asks for. */
export interface UpdateRequest {
  readonly runningVersion: string;
  /** The exact version to have afterwards, as the caller wrote it; without one, the newest. */
  readonly targetVersion: string | undefined;
}
