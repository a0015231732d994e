import { AGENT_MARK, parseAgentMark } from '../../base/agent-mark.ts';
import type { ProcessFacts, Snapshot } from '../process-snapshot.ts';
import { hasEnded, type ProcessIndex } from './process-index.ts';

/** The run whose mark a process carries; everything but the id is null for a run that is not known here. */
export interface RunOrigin {
  readonly id: string;
  readonly state: 'alive' | 'ended' | 'unknown';
  readonly item: string | null;
  readonly agent: string | null;
  /** How it ended, or what it does. */
  readonly status: string | null;
  readonly ended_at: string | null;
}

/** The agent whose mark a process carries. */
export interface AgentOrigin {
  readonly session: string;
  readonly pid: number;
  readonly state: 'alive' | 'ended' | 'unknown';
  /** When its session was last written down: it was alive then. */
  readonly last_seen_at: string | null;
}

/** Where a process says it comes from. Its environment is its owner's to write, so this is evidence and no proof. */
export interface Origin {
  readonly run: RunOrigin | null;
  readonly agent: AgentOrigin | null;
}

/** Reads the marks of a process and looks up what is known of them; nothing when it carries none. */
export function findOrigin(
  { deep }: ProcessFacts,
  snapshot: Snapshot,
  index: ProcessIndex<ProcessFacts>,
): Origin | null {
  if (deep === null) return null;
  const run = deep.runId === null ? null : findRun(deep.runId, snapshot);
  const agent = findAgent(deep.environment[AGENT_MARK], snapshot, index);
  return run === null && agent === null ? null : { run, agent };
}

function findRun(id: string, { runs = {} }: Snapshot): RunOrigin {
  const known = Object.hasOwn(runs, id) ? runs[id] : undefined;
  if (known === undefined)
    return { id, state: 'unknown', item: null, agent: null, status: null, ended_at: null };
  const { alive, item, agent, status, endedAt } = known;
  return { id, state: alive ? 'alive' : 'ended', item, agent, status, ended_at: endedAt };
}

function findAgent(
  text: string | undefined,
  { bootId, observer, sessions = {} }: Snapshot,
  index: ProcessIndex<ProcessFacts>,
): AgentOrigin | null {
  const mark = parseAgentMark(text);
  if (mark === undefined) return null;
  const { session, pid } = mark;
  const lastSeenAt = Object.hasOwn(sessions, session) ? (sessions[session]?.lastSeenAt ?? null) : null;
  const answer = (state: AgentOrigin['state']): AgentOrigin => ({
    session,
    pid,
    state,
    last_seen_at: lastSeenAt,
  });
  // Pids of another namespace mean nothing here.
  if (mark.space !== observer.pidSpace || mark.bootId !== bootId) return answer('unknown');
  const agent = index.get(pid);
  return answer(
    agent !== undefined && agent.startTicks === mark.startTicks && !hasEnded(agent) ? 'alive' : 'ended',
  );
}
