/** The environment variable that passes an agent's session and process to every program that the agent starts. */
export const AGENT_MARK = 'DEED_AGENT_SESSION';

/** Which agent started a process. Any program can set this variable, so it is a hint and never proof. */
export interface AgentMark {
  readonly session: string;
  readonly pid: number;
  readonly bootId: string;
  /** The start time of the agent's process in ticks since boot: a pid alone may be reused. */
  readonly startTicks: number;
  /** The pid namespace of the pid. */
  readonly space: string;
}

export function renderAgentMark({ session, pid, bootId, startTicks, space }: AgentMark): string {
  return `${session}:${pid}:${bootId}:${startTicks}:${space}`;
}

/** Parses a mark; returns undefined when it is incomplete. */
export function parseAgentMark(text: string | undefined): AgentMark | undefined {
  const [, session, pid, bootId, ticks, space] =
    /^([0-9a-f]{32}):([1-9]\d{0,9}):([0-9a-f-]{36}):(\d{1,15}):(\d{1,20})$/u.exec(text ?? '') ?? [];
  if (session === undefined || bootId === undefined || space === undefined) return undefined;
  return { session, pid: Number(pid), bootId, startTicks: Number(ticks), space };
}
