import { existsSync } from 'node:fs';
import {
  hostFolder,
  isInstalled,
  planInstall,
  type HookHost,
  type HookPlaces,
} from '../../continuity/hooks/hook-files.ts';
import { pass, warn, type Checker } from '../../contract/health-check.ts';
import { hookProblem } from './hook-problem.ts';

const HOSTS: Readonly<Record<HookHost, string>> = { claude: 'Claude Code', opencode: 'OpenCode' };

/** Agent hosts that are used here record their sessions, by a program that is there. */
export const checkHooks: Checker = ({ system, tool }) => {
  const places = { userHome: system.userHome, cwd: system.cwd, env: system.env, project: false };
  const hosts = (Object.keys(HOSTS) as HookHost[]).filter((host) => existsSync(hostFolder(host, places)));
  const install = (of: readonly HookHost[], project = ''): string => {
    const flags = of.length === 1 ? `--${of[0]} ` : '';
    return `${tool.name} hook install ${flags}${project}--dry-run`;
  };
  for (const project of [false, true]) {
    for (const host of project ? (Object.keys(HOSTS) as HookHost[]) : hosts) {
      const problem = hookProblem(host, { ...places, project }, system);
      if (problem === undefined) continue;
      const where = project ? ' of this folder' : '';
      const fix = install([host], project ? '--project ' : '');
      return warn('hooks', `The hooks of ${HOSTS[host]}${where} ${problem}.`, fix);
    }
  }
  if (hosts.length === 0)
    return pass('hooks', 'Neither Claude Code nor OpenCode is set up for this account.');
  const without = hosts.filter((host) => !isInstalled(host, places) || isPartial(host, places));
  const names = (of: readonly HookHost[]): string => of.map((host) => HOSTS[host]).join(' and ');
  if (without.length === 0) return pass('hooks', `${names(hosts)}: installed.`);
  return warn(
    'hooks',
    without.some((host) => isInstalled(host, places))
      ? `${names(without)} would record only a part of what happens: some hooks are missing.`
      : `${names(without)} would not record sessions by itself.`,
    install(without),
  );
};

/** Some of our hooks are there and some are gone: installing again would add to them. A plugin is one file, there or not. */
function isPartial(host: HookHost, places: HookPlaces): boolean {
  if (host !== 'claude') return false;
  const { before, after } = planInstall(host, places, ['vybe']);
  return countCommands(after) > countCommands(before);
}

function countCommands(text = ''): number {
  return text.match(/"command"\s*:/gu)?.length ?? 0;
}
