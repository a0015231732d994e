import { AGENT_MARK, renderAgentMark } from '../../base/agent-mark.ts';
import { identifyProcess, pidNamespace } from '../../system/process-identity.ts';
import { ownPid } from '../../system/own-pid.ts';

/**
 * Returns environment variables for all processes that a session starts: the session id and the process that runs it. Child processes
 * inherit them, so that an orphaned tool server can be identified. Empty where the system does not provide process identities.
 */
export function sessionEnvironment(session: string): Readonly<Record<string, string>> {
  const pid = ownPid();
  const [bootId = '', ticks = ''] = identifyProcess(pid)?.startedAt.split(':') ?? [];
  const namespace = pidNamespace(pid);
  if (bootId === '' || ticks === '' || namespace === '') return {};
  return {
    [AGENT_MARK]: renderAgentMark({ session, pid, bootId, startTicks: Number(ticks), space: namespace }),
  };
}
