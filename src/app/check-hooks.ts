import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled, planInstall, type HookHost, type HookPlaces } from '../continuity/hooks/hook-files.ts';
import { pass, warn, type Checker } from '../contract/doctor.ts';

const HOSTS: Readonly<Record<HookHost, { readonly name: string; readonly folder: string }>> = {
  claude: { name: 'Claude Code', folder: '.claude' },
  opencode: { name: 'OpenCode', folder: '.config/opencode' },
};

/** Agent hosts that are used here record their sessions. */
export const checkHooks: Checker = ({ world, tool }) => {
  const places = { userHome: world.userHome, cwd: world.cwd, project: false };
  const hosts = (Object.keys(HOSTS) as HookHost[]).filter((host) =>
    existsSync(join(world.userHome, HOSTS[host].folder)),
  );
  if (hosts.length === 0)
    return pass('hooks', 'Neither Claude Code nor OpenCode is set up for this account.');
  const without = hosts.filter((host) => !isInstalled(host, places) || isPartial(host, places));
  const names = (of: readonly HookHost[]): string => of.map((host) => HOSTS[host].name).join(' and ');
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

/** Some of our hooks are there and some are gone: installing again would add to them. */
function isPartial(host: HookHost, places: HookPlaces): boolean {
  const { before, after } = planInstall(host, places, ['vybe']);
  return host === 'claude' && countCommands(after) > countCommands(before);
}

function countCommands(text = ''): number {
  return text.match(/"command"\s*:/gu)?.length ?? 0;
}
