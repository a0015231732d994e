import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Fault } from '../base/fault.ts';
import { nearest } from '../base/nearest.ts';
import { readSettings, type Settings } from '../config/read-settings.ts';
import type { Setting } from '../config/setting-table.ts';
import type { CommandContext } from '../contract/command.ts';

/** Reads the settings that hold for this call. */
export function settingsOf({ tool, home, system }: CommandContext): Settings {
  return readSettings(tool.settings, {
    homePath: home.path,
    folder: system.cwd,
    folderFile: folderFileName(tool.name),
  });
}

/** How many rows a page has when the caller does not say. */
export function pageLimit(context: CommandContext, asked: number | undefined): number {
  return asked ?? Number(settingsOf(context).get('list.limit').value);
}

/** A configuration that a folder may bring along, such as `.deed.json`, by the name that a process in that folder sees. */
export function folderFile({ tool, system }: CommandContext, folder: string, file?: string): string {
  const path = resolve(system.cwd, folder);
  return join(existsSync(path) ? realpathSync(path) : path, file ?? folderFileName(tool.name));
}

/** Accepts the name of a setting, or refuses it with the ones there are. */
export function requireSetting({ tool }: CommandContext, name: string): Setting {
  const setting = Object.hasOwn(tool.settings, name) ? tool.settings[name] : undefined;
  if (setting !== undefined) return setting;
  const allowed = Object.keys(tool.settings);
  const suggestion = nearest(name, allowed);
  throw new Fault('E_NOT_FOUND', `There is no setting "${name}".`, {
    hint: suggestion ? `Did you mean ${suggestion}?` : `Known: ${allowed.join(', ')}.`,
    details: { field: 'key', ...(suggestion && { suggestion }), allowed },
  });
}

function folderFileName(toolName: string): string {
  return `.${toolName}.json`;
}
