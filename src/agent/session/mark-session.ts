import { AGENT_MARK, renderAgentMark } from '../../base/agent-mark.ts';
import { identifyProcess, pidNamespace } from '../../system/process-identity.ts';
import { ownPid } from '../../system/own-pid.ts';

/**
 * The marks of everything that a session starts: which session it was, and which process drove it. They are inherited, so that a tool
 * server that outlives this process can still be told from one that somebody wants. None where the system does not tell.
 */
export function markSession(session: string): Readonly<Record<string, string>> {
  const pid = ownPid();
  const [bootId = '', ticks = ''] = identifyProcess(pid)?.startedAt.split(':') ?? [];
  const space = pidNamespace(pid);
  if (bootId === '' || ticks === '' || space === '') return {};
  return { [AGENT_MARK]: renderAgentMark({ session, pid, bootId, startTicks: Number(ticks), space }) };
}
