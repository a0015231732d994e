import type { Observation } from './observation.ts';
import type { AgentOrigin, RunOrigin } from './origin.ts';

/** The run or agent that a finding rests on, in words; nothing when it rests on neither. */
export function citeOrigin({ anchor, origin }: Pick<Observation, 'anchor' | 'origin'>): string | undefined {
  if (origin === null) return undefined;
  if (anchor === 'run' || anchor === 'ended_run')
    return origin.run === null ? undefined : tellRun(origin.run);
  if (anchor !== 'ended_agent' && anchor !== 'agent') return undefined;
  return origin.agent === null || origin.agent.state === 'unknown' ? undefined : tellAgent(origin.agent);
}

function tellRun({ id, state, item, agent, status, ended_at: endedAt }: RunOrigin): string {
  const what = `run ${id} (item ${item}, agent ${agent})`;
  if (state === 'alive') return `${what} is ${status}`;
  return `${what} ended${endedAt === null ? '' : ` at ${endedAt}`}: ${status}`;
}

function tellAgent({ session, pid, state, last_seen_at: lastSeenAt }: AgentOrigin): string {
  const who = `its agent (session ${session}, pid ${pid})`;
  if (state === 'alive') return `${who} lives`;
  return `${who} is dead${lastSeenAt === null ? '' : `, last seen alive at ${lastSeenAt}`}`;
}
