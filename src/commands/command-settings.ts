import { ownMember } from '../base/own-member.ts';
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault } from '../base/fault.ts';
import { nearest } from '../base/nearest.ts';
import { folderFileName, settingsOf } from '../config/settings-of.ts';
import type { Setting } from '../config/setting-table.ts';
import type { CommandContext } from '../contract/command.ts';

/** The page size: as requested, or from the settings. */
export function pageLimit(context: CommandContext, requested: number | undefined): number {
  return requested ?? Number(settingsOf(context).get('list.limit').value);
}

/** The path of a folder's configuration, such as `.deed.json`, as a process in that folder resolves it. */
export function folderFile({ tool, system }: CommandContext, folder: string, file?: string): string {
  const path = resolve(system.cwd, folder);
  return join(existsSync(path) ? realpathSync(path) : path, file ?? folderFileName(tool.name));
}

/** Looks up a setting by name; an unknown one is rejected with the list of settings. */
export function requireSetting({ tool }: CommandContext, name: string): Setting {
  const setting = ownMember(tool.settings, name);
  if (setting !== undefined) return setting;
  const allowed = Object.keys(tool.settings);
  const suggestion = nearest(name, allowed);
  throw new Fault('E_NOT_FOUND', `Unknown setting: "${name}".`, {
    hint: suggestion ? `Did you mean ${suggestion}?` : `Settings: ${allowed.join(', ')}.`,
    details: { field: 'key', ...(suggestion && { suggestion }), allowed },
  });
}
