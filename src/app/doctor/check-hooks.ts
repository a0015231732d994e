import { existsSync } from 'node:fs';
import {
  hostFolder,
  isInstalled,
  planInstall,
  type HookHost,
  type HookPlaces,
} from '../../continuity/hooks/hook-files.ts';
import { pass, warn, type Checker } from '../../contract/health-check.ts';

const HOSTS: Readonly<Record<HookHost, string>> = { claude: 'Claude Code', opencode: 'OpenCode' };

/** Agent hosts that are used here record their sessions. */
export const checkHooks: Checker = ({ system, tool }) => {
  const places = { userHome: system.userHome, cwd: system.cwd, env: system.env, project: false };
  const hosts = (Object.keys(HOSTS) as HookHost[]).filter((host) => existsSync(hostFolder(host, places)));
  if (hosts.length === 0)
    return pass('hooks', 'Neither Claude Code nor OpenCode is set up for this account.');
  const without = hosts.filter((host) => !isInstalled(host, places) || isPartial(host, places));
  const names = (of: readonly HookHost[]): string => of.map((host) => HOSTS[host]).join(' and ');
  if (without.length === 0) return pass('hooks', `${names(hosts)}: installed.`);
  const flags = without.map((host) => `--${host}`).join(' ');
  return warn(
    'hooks',
    without.some((host) => isInstalled(host, places))
      ? `${names(without)} would record only a part of what happens: some hooks are missing.`
      : `${names(without)} would not record sessions by itself.`,
    `${tool.name} hook install ${without.length === 1 ? `${flags} ` : ''}--dry-run`,
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
