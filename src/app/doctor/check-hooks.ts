import { existsSync } from 'node:fs';
import {
  hostFolder,
  isInstalled,
  planInstall,
  type HookHost,
  type HookLocation,
} from '../../continuity/hooks/hook-files.ts';
import { pass, warn, type Checker } from '../../contract/health-check.ts';
import { hookProblem } from './hook-problem.ts';

const HOSTS: Readonly<Record<HookHost, string>> = { claude: 'Claude Code', opencode: 'OpenCode' };

/** Checks that the hooks of all agent hosts of this account are installed, and that the program they call exists. */
export const checkHooks: Checker = ({ system, tool }) => {
  const location = { userHome: system.userHome, cwd: system.cwd, env: system.env, project: false };
  const hosts = (Object.keys(HOSTS) as HookHost[]).filter((host) => existsSync(hostFolder(host, location)));
  const install = (hosts: readonly HookHost[], project = ''): string => {
    const flags = hosts.length === 1 ? `--${hosts[0]} ` : '';
    return `${tool.name} hook install ${flags}${project}--dry-run`;
  };
  for (const project of [false, true]) {
    for (const host of project ? (Object.keys(HOSTS) as HookHost[]) : hosts) {
      const problem = hookProblem(host, { ...location, project }, system);
      if (problem === undefined) continue;
      const where = project ? ' of this folder' : '';
      const fix = install([host], project ? '--project ' : '');
      return warn('hooks', `The hooks of ${HOSTS[host]}${where} ${problem}.`, fix);
    }
  }
  if (hosts.length === 0)
    return pass('hooks', 'Neither Claude Code nor OpenCode has been used on this account.');
  const without = hosts.filter((host) => !isInstalled(host, location) || isPartial(host, location));
  const names = (hosts: readonly HookHost[]): string => hosts.map((host) => HOSTS[host]).join(' and ');
  if (without.length === 0) return pass('hooks', `${names(hosts)}: installed.`);
  const isOne = without.length === 1;
  return warn(
    'hooks',
    without.some((host) => isInstalled(host, location))
      ? `${names(without)} ${isOne ? 'records' : 'record'} only some events: some hooks are missing.`
      : `${names(without)} ${isOne ? 'does' : 'do'} not record sessions: the hooks are not installed.`,
    install(without),
  );
};

/** Checks whether some hooks are missing, which an install would add. A plugin is one file, so it is never partial. */
function isPartial(host: HookHost, location: HookLocation): boolean {
  if (host !== 'claude') return false;
  const { before, after } = planInstall(host, location, ['vybe']);
  return countCommands(after) > countCommands(before);
}

function countCommands(text = ''): number {
  return text.match(/"command"\s*:/gu)?.length ?? 0;
}
