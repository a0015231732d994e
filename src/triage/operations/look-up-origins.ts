import { AGENT_MARK, parseAgentMark } from '../../base/agent-mark.ts';
import type { ProcessSnapshot } from '../process-snapshot.ts';
import type { TriageEnvironment } from '../triage-environment.ts';
import { checkRunMarks } from './check-run-marks.ts';

/**
 * Checks the marks of runs, and looks up the runs and agent sessions named in process environments, each once; unknown ones are
 * omitted.
 */
export function lookUpOrigins(
  snapshot: ProcessSnapshot,
  environment: Pick<TriageEnvironment, 'lookUpRun' | 'isRunMark' | 'lookUpSession'>,
): Pick<ProcessSnapshot, 'processes' | 'runs' | 'sessions'> {
  const { lookUpRun, lookUpSession } = environment;
  const processes = checkRunMarks(snapshot, environment);
  const runs = processes.flatMap(({ deep }) => deep?.runId ?? []);
  const sessions = processes.flatMap(
    ({ deep }) => parseAgentMark(deep?.environment[AGENT_MARK])?.session ?? [],
  );
  return { processes, runs: lookUpAll(runs, lookUpRun), sessions: lookUpAll(sessions, lookUpSession) };
}

function lookUpAll<T>(
  ids: readonly string[],
  lookUp: ((id: string) => T | undefined) | undefined,
): Readonly<Record<string, T>> {
  const known = [...new Set(ids)].map((id) => [id, lookUp?.(id)] as const);
  return Object.fromEntries(
    known.flatMap(([id, facts]) => (facts === undefined ? [] : [[id, facts] as const])),
  );
}
