import type { Clock } from '../base/clock.ts';
import type { DeltaPatterns } from './admission/classify-changes.ts';
import type { AgentTable } from './executors/agent-config.ts';
import type { BuiltinAgent, BuiltinIdentity } from './executors/executor.ts';
import type { RunJournal } from './journal/run-journal.ts';
import type { Leftover } from './run/leftover.ts';
import type { RunStage } from './journal/run-stage.ts';
import type { WorkEvent } from './run/work-event.ts';
import type { WorkspaceMode, WorkspaceContext } from './workspace/workspace.ts';

/** Everything outside this part that a run needs; whoever joins the parts supplies it. */
export interface WorkContext {
  /** The private folder of the account: runs, jobs, keys and the chain of receipts live below it. */
  readonly home: string;
  readonly workspace: WorkspaceContext;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly agents: AgentTable;
  readonly builtin?: BuiltinAgent | undefined;
  readonly builtinIdentity?: BuiltinIdentity | undefined;
  readonly patterns?: DeltaPatterns | undefined;
  /** What a run may write before it is stopped. */
  readonly diskBytes?: number | undefined;
  /** Takes the portable workspace even where the better one works. */
  readonly mode?: WorkspaceMode | undefined;
  /** Versions for receipts. */
  readonly toolchainVersion: string;
  readonly runtimeVersion: string;
  /** How this program is started again; replay scripts call it. */
  readonly program: readonly string[];
  /**
   * Port: ends every process that still carries the mark of a run, and tells which there were. Contract: called when nothing of the
   * run should be left, so it ends at once and without grace; it does not throw.
   */
  readonly endLeftovers?: ((runId: string) => Promise<readonly Leftover[]>) | undefined;
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: WorkEvent) => void;
  /** Where runs are written down; without one they leave receipts only. */
  readonly journal?: RunJournal | undefined;
  /** Gives agents a journal that goes with their run; without one they have none. */
  readonly stage?: RunStage | undefined;
  /** Tells of trouble that changes nothing about a run. */
  readonly warn?: ((message: string) => void) | undefined;
}
