import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ACTIONS, CLASSES } from '../assessment.ts';
import { killsLeft, readBudget } from '../gates/budget-file.ts';
import { GATES } from '../gates/gate.ts';
import type { CapabilitiesBody } from '../session-results.ts';
import { KILLS_PER_DAY, type TriageContext } from './triage-context.ts';

const SUPERVISORS: Readonly<Record<string, string>> = {
  systemd: 'systemctl',
  docker: 'docker',
  pm2: 'pm2',
  supervisord: 'supervisorctl',
};

/** Describes what this machine and account support. */
export async function describeCapabilities(
  context: TriageContext,
  searchPath: string,
): Promise<CapabilitiesBody> {
  const { environment, live, parameters } = context;
  const budget = readBudget(environment.dataRoot, environment.now());
  const pidfd = await canPin(context);
  return {
    platform: {
      proc: live.readProcess(environment.pid) !== undefined,
      pidfd,
      cgroup: cgroupVersion(environment.cgroupRoot),
      cgroup_writable: canWrite(environment.cgroupRoot),
      hidepid: live.hidepid(),
    },
    account: { user_id: String(environment.uid), may_name_other_users: environment.uid === 0 },
    actions: ACTIONS.filter((action) => pidfd || action === 'review' || action === 'spare'),
    classes: CLASSES,
    gates: GATES,
    supervisors: Object.entries(SUPERVISORS).map(([type, program]) => ({
      type,
      available: findProgram(program, searchPath),
    })),
    parameters_version: parameters.version,
    budget: {
      alpha_wealth: budget.wealth.amount,
      kills_left_today: killsLeft(budget, environment.killsPerDay ?? KILLS_PER_DAY),
      refilled_at: new Date(budget.wealth.refilledAtMs).toISOString(),
    },
    data_folder: environment.dataRoot,
  };
}

async function canPin({ environment }: TriageContext): Promise<boolean> {
  try {
    const libc = await environment.openLibc();
    const descriptor = libc.pidfdOpen(environment.pid);
    libc.pidfdSendSignal(descriptor, 0);
    (await import('node:fs')).closeSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

function cgroupVersion(root: string): 'v2' | 'v1' | 'none' {
  if (canRead(join(root, 'cgroup.controllers'))) return 'v2';
  return canRead(join(root, 'cpu')) ? 'v1' : 'none';
}

function findProgram(name: string, searchPath: string): boolean {
  return searchPath
    .split(delimiter)
    .some((folder) => folder !== '' && hasAccess(join(folder, name), constants.X_OK));
}

const canRead = (path: string): boolean => hasAccess(path, constants.R_OK);
const canWrite = (path: string): boolean => hasAccess(path, constants.W_OK);

function hasAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
