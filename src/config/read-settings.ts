import { ownMember } from '../base/own-member.ts';
import { join } from 'node:path';
import { errorMessage } from '../base/error-message.ts';
import { check } from '../base/describe-problem.ts';
import { Fault } from '../base/fault.ts';
import { canonicalJson } from '../base/json.ts';
import { parseConfigFile, readConfigFile } from './config-file.ts';
import { readFolderTrust, type FolderTrust } from './folder-trust.ts';
import type { Setting, SettingTable, SettingValue } from './setting-table.ts';

export interface EffectiveSetting {
  readonly value: SettingValue;
  readonly source: 'default' | 'home' | 'folder';
}

/** Where settings are read from. */
export interface SettingPlaces {
  readonly homePath: string;
  readonly folder: string;
  /** The name of a folder's configuration file, such as `.deed.json`. */
  readonly folderFile: string;
}

export interface Settings {
  readonly names: readonly string[];
  /** Contract: the name must be one of `names`. */
  readonly get: (name: string) => EffectiveSetting;
  readonly trust: FolderTrust;
}

/** Reads the effective settings: defaults, then home, then the folder's file if it is trusted. */
export function readSettings(table: SettingTable, places: SettingPlaces): Settings {
  const homeFile = homeConfigPath(places.homePath);
  const home = validValues(table, readConfigFile(homeFile).values, homeFile, 'home');
  const trust = readFolderTrust(places.homePath, join(places.folder, places.folderFile));
  const local =
    trust.state === 'trusted' && trust.text !== null
      ? validValues(table, parseConfigFile(trust.file, trust.text).values, trust.file, 'folder')
      : {};
  return {
    names: Object.keys(table).sort(),
    trust,
    get: (name) => {
      const inFolder = ownMember(local, name);
      if (inFolder !== undefined) return { value: inFolder, source: 'folder' };
      const atHome = ownMember(home, name);
      if (atHome !== undefined) return { value: atHome, source: 'home' };
      const setting = ownMember(table, name);
      if (setting === undefined) throw new Error(`unknown setting ${name}`);
      return { value: setting.defaultValue, source: 'default' };
    },
  };
}

export function homeConfigPath(homePath: string): string {
  return join(homePath, 'config.json');
}

/** Validates one value against its setting. */
export function checkSetting(name: string, setting: Setting, value: unknown): SettingValue {
  const result = check(setting.schema(), value);
  // A value that the schema changes, for example by dropping a member named __proto__, is rejected.
  if (result.success && canonicalJson(result.output) === canonicalJson(value))
    return result.output as SettingValue;
  const shown = JSON.stringify(value)?.slice(0, 80);
  const problem = result.success ? 'is not valid' : result.issues[0].message;
  throw new Fault('E_VALIDATION', `Invalid value for ${name}: ${shown}. It ${problem}.`, {
    hint: `${setting.description}. Default: ${JSON.stringify(setting.defaultValue)}.`,
    details: { field: 'value', setting: name },
  });
}

function validValues(
  table: SettingTable,
  values: Readonly<Record<string, unknown>>,
  file: string,
  layer: 'home' | 'folder',
): Readonly<Record<string, SettingValue>> {
  const result: Record<string, SettingValue> = {};
  for (const [name, value] of Object.entries(values)) {
    const setting = ownMember(table, name);
    // A setting of a newer version is ignored; a folder cannot set what only the home may set.
    if (setting === undefined || (layer === 'folder' && setting.scope === 'home')) continue;
    try {
      result[name] = checkSetting(name, setting, value);
    } catch (error) {
      throw new Fault('E_CONFIG', `${file}: ${errorMessage(error)}`, {
        hint: `Fix ${name} in ${file}.`,
        details: { path: file, setting: name },
        cause: error,
      });
    }
  }
  return result;
}
