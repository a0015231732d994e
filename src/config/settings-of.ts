import { readSettings, type Settings } from './read-settings.ts';
import type { Setting } from './setting-table.ts';

/** The parts of a command's context that determine its settings. */
export interface SettingsContext {
  readonly tool: { readonly name: string; readonly settings: Readonly<Record<string, Setting>> };
  readonly home: { readonly path: string };
  readonly system: { readonly cwd: string };
}

/** Reads the settings of this call. */
export function settingsOf({ tool, home, system }: SettingsContext): Settings {
  return readSettings(tool.settings, {
    homePath: home.path,
    folder: system.cwd,
    folderFile: folderFileName(tool.name),
  });
}

/** The name of a folder's configuration, such as `.deed.json`. */
export function folderFileName(toolName: string): string {
  return `.${toolName}.json`;
}
