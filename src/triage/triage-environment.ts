import type { Libc } from '../system/libc/libc.ts';
import type { RunFacts, AgentSessionFacts } from './process-snapshot.ts';

/** The dependencies of triage. A caller of the library supplies them; `openMachine` returns the dependencies of the local machine. */
export interface TriageEnvironment {
  /** The folder of triage sessions, budget and keys: `~/.local/share/process_triage`. */
  readonly dataRoot: string;
  /** A value of `process.platform`; processes can be assessed only on Linux. */
  readonly platform: string;
  readonly procRoot: string;
  readonly cgroupRoot: string;
  readonly host: string;
  readonly pid: number;
  readonly uid: number;
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called only before an action. */
  readonly openLibc: () => Promise<Libc>;
  /** Runs a supervisor's program without a shell. */
  readonly run: (argv: readonly string[]) => Promise<{ exitCode: number | null; stderr: string }>;
  readonly setNice: (pid: number, nice: number) => void;
  /** Overrides of the built-in parameters. */
  readonly overrides?: unknown;
  readonly retentionMs?: number | undefined;
  /** The maximum number of process trees killed within a day. */
  readonly killsPerDay?: number | undefined;
  /**
   * Returns what is known of the run or agent session in a process's environment; undefined when it is unknown. Contract: the id is
   * untrusted text; must not throw.
   */
  readonly lookUpRun?: (runId: string) => RunFacts | undefined;
  /** Whether a mark in a process's environment belongs to the run; without it, the id of the run is enough. Must not throw. */
  readonly isRunMark?: (runId: string, mark: string) => boolean;
  readonly lookUpSession?: (sessionId: string) => AgentSessionFacts | undefined;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
  /** The command prefix for hints: `pt agent` or `deed triage`. */
  readonly program: string;
}
