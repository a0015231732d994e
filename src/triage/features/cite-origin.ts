import type { Observation } from './observation.ts';
import type { AgentOrigin, RunOrigin } from './origin.ts';

/** Describes the run or agent that an anchor refers to; undefined when it refers to neither. */
export function citeOrigin({ anchor, origin }: Pick<Observation, 'anchor' | 'origin'>): string | undefined {
  if (origin === null) return undefined;
  if (anchor === 'run' || anchor === 'ended_run')
    return origin.run === null ? undefined : describeRun(origin.run);
  if (anchor !== 'ended_agent' && anchor !== 'agent') return undefined;
  return origin.agent === null || origin.agent.state === 'unknown' ? undefined : describeAgent(origin.agent);
}

function describeRun({ id, state, item, agent, status, ended_at: endedAt }: RunOrigin): string {
  const what = `run ${id} (item ${item}, agent ${agent})`;
  if (state === 'alive') return `${what} is ${status}`;
  return `${what} ended${endedAt === null ? '' : ` at ${endedAt}`}: ${status}`;
}

function describeAgent({ session, pid, state, last_seen_at: lastSeenAt }: AgentOrigin): string {
  const who = `its agent (session ${session}, pid ${pid})`;
  if (state === 'alive') return `${who} is running`;
  return `${who} has exited${lastSeenAt === null ? '' : `, last seen at ${lastSeenAt}`}`;
}
