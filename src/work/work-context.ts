import type { Clock } from '../base/clock.ts';
import type { DeltaPatterns } from './admission/classify-changes.ts';
import type { AgentTable } from './executors/agent-config.ts';
import type { BuiltinAgent, BuiltinIdentity } from './executors/executor.ts';
import type { KeptRun, SessionKeeper } from './executors/session-keeper.ts';
import type { RunJournal } from './journal/run-journal.ts';
import type { Leftover } from './run/leftover.ts';
import type { StagedJournal } from './journal/staged-journal.ts';
import type { RunSpan, TracedRun } from './run/run-span.ts';
import type { WorkEvent } from './run/work-event.ts';
import type { CheckoutStart } from './workspace/landing/open-checkout.ts';
import type { WorkspaceMode, WorkspaceContext } from './workspace/workspace.ts';

/** All dependencies of the work part, set by the app layer. */
export interface WorkContext {
  /** The deed home, with runs, jobs, keys and the chain of receipts. */
  readonly home: string;
  readonly workspace: WorkspaceContext;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly agents: AgentTable;
  readonly builtin?: BuiltinAgent | undefined;
  readonly builtinIdentity?: BuiltinIdentity | undefined;
  readonly patterns?: DeltaPatterns | undefined;
  /** The maximum number of bytes that a run may write. */
  readonly diskBytes?: number | undefined;
  /** Forces the `copy` mode even if overlays are available. */
  readonly mode?: WorkspaceMode | undefined;
  /** The caller's consent to run commands unsandboxed if this machine cannot confine them. */
  readonly allowUnsandboxed?: boolean | undefined;
  /** Versions for receipts. */
  readonly toolchainVersion: string;
  readonly runtimeVersion: string;
  /** The command that starts this program; used in replay scripts. */
  readonly program: readonly string[];
  /**
   * Port: terminates every process that still has the environment variables of a run, and returns them. Contract: called when no process
   * of the run should be left, so it kills without a grace period; does not throw.
   */
  readonly endLeftovers?: ((runId: string) => Promise<readonly Leftover[]>) | undefined;
  /** Port: keeps the sessions of built-in agents for other hosts; set by a worker of a queue. */
  readonly keepSession?: ((run: KeptRun) => SessionKeeper) | undefined;
  /** Where the only run of a job starts; set by a worker of a queue. Its commit lands in the remote, so no branch of the clone moves. */
  readonly landsElsewhere?: CheckoutStart | undefined;
  /** Aborts when the caller cancels. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: WorkEvent) => void;
  /** Records runs; without it there are only receipts. */
  readonly journal?: RunJournal | undefined;
  /** Creates a private journal per run; without it agents have no journal. */
  readonly stagedJournal?: StagedJournal | undefined;
  /** Port: starts the span of a run for telemetry; undefined when it is off. Contract: does not throw. */
  readonly openSpan?: ((run: TracedRun) => Promise<RunSpan | undefined>) | undefined;
  /** The trace context of the current run, for its processes. */
  readonly traceparent?: string | undefined;
  /** Reports problems that do not affect a run. */
  readonly warn?: ((message: string) => void) | undefined;
}
