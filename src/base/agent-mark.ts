/** The variable that names, to everything an agent starts, the session and the process of that agent. */
export const AGENT_MARK = 'DEED_AGENT_SESSION';

/** Which agent started something. Whoever can start a process can write this too, so it is a hint and never a proof. */
export interface AgentMark {
  readonly session: string;
  readonly pid: number;
  readonly bootId: string;
  /** Ticks after that boot at which the agent's process started: a pid alone is used again. */
  readonly startTicks: number;
  /** The pid namespace in which the pid has its meaning. */
  readonly space: string;
}

export function renderAgentMark({ session, pid, bootId, startTicks, space }: AgentMark): string {
  return `${session}:${pid}:${bootId}:${startTicks}:${space}`;
}

/** Reads a mark; nothing when it is not whole. */
export function parseAgentMark(text: string | undefined): AgentMark | undefined {
  const [, session, pid, bootId, ticks, space] =
    /^([0-9a-f]{32}):([1-9]\d{0,9}):([0-9a-f-]{36}):(\d{1,15}):(\d{1,20})$/u.exec(text ?? '') ?? [];
  if (session === undefined || bootId === undefined || space === undefined) return undefined;
  return { session, pid: Number(pid), bootId, startTicks: Number(ticks), space };
}
