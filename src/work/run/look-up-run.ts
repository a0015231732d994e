import { describeRun } from './describe-run.ts';

/** What others may want to know of a run: whose it is, whether it goes on, how and when it ended. */
export interface KnownRun {
  readonly item: string;
  readonly agent: string;
  /** Whether the process that drives it lives, or it waits for a person. */
  readonly alive: boolean;
  readonly status: string;
  /** Null while it goes on, and when its driver died without a word. */
  readonly endedAt: string | null;
}

/** Looks a run up by an id that may be anybody's text. Nothing when there is no such run, or what is kept of it cannot be read. */
export function lookUpRun(home: string, runId: string): KnownRun | undefined {
  if (!/^run_[0-9a-f]{24}$/u.test(runId)) return undefined;
  try {
    const line = describeRun(home, runId);
    if (line === undefined) return undefined;
    const { item_id: item, agent_id: agent, status } = line;
    const alive = status === 'running' || status === 'waiting';
    // A run that has ended is told by its receipt, whose time is that of its end.
    return { item, agent, alive, status, endedAt: alive || status === 'lost' ? null : line.at };
  } catch {
    return undefined;
  }
}
