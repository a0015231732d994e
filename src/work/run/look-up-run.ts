import { describeRun } from './describe-run.ts';
import { isId } from './run-folder.ts';

/** Summary of a run for other parts: its owner, whether it is active, how and when it ended. */
export interface RunSummary {
  readonly item: string;
  readonly agent: string;
  /** Whether its process is alive or it waits for approval. */
  readonly alive: boolean;
  readonly status: string;
  /** Null while it is active, and if its process exited without ending the run. */
  readonly endedAt: string | null;
}

/** Looks up a run by an untrusted id. Undefined if the run does not exist or cannot be read. */
export function lookUpRun(home: string, runId: string): RunSummary | undefined {
  if (!isId('run', runId)) return undefined;
  try {
    const line = describeRun(home, runId);
    if (line === undefined) return undefined;
    const { item_id: item, agent_id: agent, status } = line;
    const alive = status === 'running' || status === 'ready' || status === 'waiting';
    // For an ended run `at` is the time of its receipt.
    return { item, agent, alive, status, endedAt: alive || status === 'lost' ? null : line.at };
  } catch {
    return undefined;
  }
}
