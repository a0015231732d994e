import type { SupervisorInfo } from '../assessment.ts';
import type { Observer, ProcessFacts } from '../process-snapshot.ts';
import type { ProcessIndex } from './process-index.ts';

const NONE: SupervisorInfo = {
  detected: false,
  type: null,
  unit: null,
  recommended_action: 'kill',
  supervisor_command: null,
};

/** Finds the supervisor that would restart a process: its container, its systemd unit, pm2 or supervisord. */
export function findSupervisor(
  process: ProcessFacts,
  index: ProcessIndex<ProcessFacts>,
  observer: Observer,
): SupervisorInfo {
  const { deep } = process;
  if (deep === null) return NONE;
  if (deep.container !== null && deep.container !== observer.container) {
    const unit = deep.container.slice(0, 12);
    return found('docker', unit, 'docker_stop', `docker stop ${unit}`);
  }
  const unit = serviceUnit(deep.cgroup);
  if (unit !== undefined && deep.cgroup !== observer.cgroup) {
    const user = /\/user@\d+\.service\//u.test(deep.cgroup) ? ' --user' : '';
    return found('systemd', unit, 'systemctl_stop', `systemctl${user} stop ${unit}`);
  }
  const { pm_id: pm2, SUPERVISOR_PROCESS_NAME: name, SUPERVISOR_GROUP_NAME: group } = deep.environment;
  // The variables are inherited, so they count only while the supervisor is an ancestor.
  if (pm2 !== undefined && hasAncestor(process, index, /^PM2 |\bpm2\b.*Daemon|pm2\/lib\/Daemon/u))
    return found('pm2', pm2, 'pm2_stop', stop(pm2Of(deep.environment['PM2_HOME']), pm2));
  if (name !== undefined && hasAncestor(process, index, /supervisord/u)) {
    const full = group === undefined || group === name ? name : `${group}:${name}`;
    const control = supervisorctlOf(deep.environment['SUPERVISOR_SERVER_URL']);
    return found('supervisord', full, 'supervisorctl_stop', stop(control, full));
  }
  return NONE;
}

/**
 * A machine can have several instances of a supervisor; the environment of the process names the right one. If that cannot be expressed
 * in a command, there is none: the default instance may run another program under the same name or number.
 */
function pm2Of(home: string | undefined): string | null {
  if (home === undefined) return 'pm2';
  return /^\/[\w./@+-]{1,180}$/u.test(home) ? `env PM2_HOME=${home} pm2` : null;
}

function supervisorctlOf(url: string | undefined): string | null {
  if (url === undefined) return 'supervisorctl';
  const local = /^(?:unix:\/\/\/[\w./@+-]{1,180}|http:\/\/(?:localhost|127\.0\.0\.1):\d{1,5})$/u;
  return local.test(url) ? `supervisorctl -s ${url}` : null;
}

function stop(control: string | null, unit: string): string | null {
  return control === null ? null : `${control} stop ${unit}`;
}

/** Returns the service unit of a cgroup path. User managers and session scopes restart nothing. */
function serviceUnit(cgroup: string): string | undefined {
  const last = cgroup.split('/').findLast((part) => part.endsWith('.service'));
  return last === undefined || /^user@\d+\.service$/u.test(last) ? undefined : last;
}

function found(
  type: NonNullable<SupervisorInfo['type']>,
  unit: string,
  action: string,
  command: string | null,
): SupervisorInfo {
  return { detected: true, type, unit, recommended_action: action, supervisor_command: command };
}

function hasAncestor(process: ProcessFacts, index: ProcessIndex<ProcessFacts>, pattern: RegExp): boolean {
  let parent = index.get(process.ppid);
  for (let depth = 0; parent !== undefined && depth < 64; depth += 1) {
    if (pattern.test(parent.comm) || pattern.test(parent.command?.join(' ') ?? '')) return true;
    parent = index.get(parent.ppid);
  }
  return false;
}
