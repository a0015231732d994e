import { ownMember } from '../../base/own-member.ts';
import { AGENT_MARK, parseAgentMark } from '../../base/agent-mark.ts';
import type { ProcessFacts, ProcessSnapshot } from '../process-snapshot.ts';
import { hasEnded, type ProcessIndex } from './process-index.ts';

/** The run named in the environment of a process; for an unknown run everything but the id is null. */
export interface RunOrigin {
  readonly id: string;
  readonly state: 'alive' | 'ended' | 'unknown';
  readonly item: string | null;
  readonly agent: string | null;
  /** The result of a finished run, or the current phase. */
  readonly status: string | null;
  readonly ended_at: string | null;
}

/** The agent named in the environment of a process. */
export interface AgentOrigin {
  readonly session: string;
  readonly pid: number;
  readonly state: 'alive' | 'ended' | 'unknown';
  /** When its session was last saved; the agent was running then. */
  readonly last_seen_at: string | null;
}

/** The run and agent named in the environment of a process. Any user can set their environment, so this is evidence, not proof. */
export interface Origin {
  readonly run: RunOrigin | null;
  readonly agent: AgentOrigin | null;
}

/** Reads the run and agent from the environment of a process and looks them up; null when it names none. */
export function findOrigin(
  { deep }: ProcessFacts,
  snapshot: ProcessSnapshot,
  index: ProcessIndex<ProcessFacts>,
): Origin | null {
  if (deep === null) return null;
  const run = deep.runId === null ? null : findRun(deep.runId, snapshot);
  const agent = findAgent(deep.environment[AGENT_MARK], snapshot, index);
  return run === null && agent === null ? null : { run, agent };
}

function findRun(id: string, { runs = {} }: ProcessSnapshot): RunOrigin {
  const known = ownMember(runs, id);
  if (known === undefined)
    return { id, state: 'unknown', item: null, agent: null, status: null, ended_at: null };
  const { alive, item, agent, status, endedAt } = known;
  return { id, state: alive ? 'alive' : 'ended', item, agent, status, ended_at: endedAt };
}

function findAgent(
  text: string | undefined,
  { bootId, observer, sessions = {} }: ProcessSnapshot,
  index: ProcessIndex<ProcessFacts>,
): AgentOrigin | null {
  const mark = parseAgentMark(text);
  if (mark === undefined) return null;
  const { session, pid } = mark;
  const lastSeenAt = ownMember(sessions, session)?.lastSeenAt ?? null;
  const withState = (state: AgentOrigin['state']): AgentOrigin => ({
    session,
    pid,
    state,
    last_seen_at: lastSeenAt,
  });
  // In another pid namespace or boot, the same pid is a different process.
  if (mark.space !== observer.pidSpace || mark.bootId !== bootId) return withState('unknown');
  const agent = index.get(pid);
  return withState(
    agent !== undefined && agent.startTicks === mark.startTicks && !hasEnded(agent) ? 'alive' : 'ended',
  );
}
