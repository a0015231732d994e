import type { Libc } from '../system/libc/libc.ts';
import type { RunFacts, SessionFacts } from './process-snapshot.ts';

/** What triage is given to work with; a caller of the library supplies it, `openMachine` has what is usual. */
export interface TriageEnvironment {
  /** Where sessions, budget and keys are kept: `~/.local/share/process_triage`. */
  readonly dataRoot: string;
  /** As `process.platform` names it; processes can be judged on Linux only. */
  readonly platform: string;
  readonly procRoot: string;
  readonly cgroupRoot: string;
  readonly host: string;
  readonly pid: number;
  readonly uid: number;
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Loaded when something is to be acted on, and not before. */
  readonly openLibc: () => Promise<Libc>;
  /** Runs a supervisor's program without a shell. */
  readonly run: (argv: readonly string[]) => Promise<{ exitCode: number | null; stderr: string }>;
  readonly setNice: (pid: number, nice: number) => void;
  /** Changes to the shipped parameters. */
  readonly overrides?: unknown;
  readonly retentionMs?: number | undefined;
  /** Trees that may be killed within a day. */
  readonly killsPerDay?: number | undefined;
  /**
   * Tells of the run or session that a process says it comes from; nothing when it is not known here. Contract: the id is what a
   * process carries, and any text; must not throw.
   */
  readonly lookUpRun?: (runId: string) => RunFacts | undefined;
  readonly lookUpSession?: (sessionId: string) => SessionFacts | undefined;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
  /** How a caller would call this program, for hints: `pt agent` or `deed triage`. */
  readonly program: string;
}
