import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { omit } from '../../base/omit.ts';
import { isPlainObject } from '../../base/json.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import { hostFolder, type HookChange, type HookLocation } from './hook-files.ts';

/** The plugins that versions of the Go program vybe installed; together with a new one, they would record everything twice. */
const OLD_PLUGINS = ['vybe-bridge.js', 'opencode-vybe-bridge.ts'] as const;
const CONFIGURATION = 'opencode.json';

/** Plans to remove the plugins of the Go program from OpenCode. Contract: reads only. */
export function planOldPluginRemoval(location: HookLocation): HookChange[] {
  if (location.project) return [];
  const folder = hostFolder('opencode', location);
  const files = OLD_PLUGINS.map((name) => join(folder, 'plugins', name)).filter((path) => existsSync(path));
  return [
    ...files.map((path) => ({
      host: 'opencode' as const,
      path,
      before: readFileIfPresent(path),
      after: undefined,
    })),
    ...planUnregister(join(folder, CONFIGURATION)),
  ];
}

/** Removes the plugins from the list in the configuration, and keeps the rest of it as it is. */
function planUnregister(path: string): HookChange[] {
  const before = readFileIfPresent(path);
  const settings = before === undefined ? undefined : parse(before);
  if (settings === undefined || !Array.isArray(settings.plugin)) return [];
  const kept = settings.plugin.filter((name) => !OLD_PLUGINS.some((old) => name === `./plugins/${old}`));
  if (kept.length === settings.plugin.length) return [];
  const after = `${JSON.stringify(kept.length === 0 ? omit(settings, 'plugin') : { ...settings, plugin: kept }, null, 2)}\n`;
  return [{ host: 'opencode', path, before, after }];
}

/** A configuration with comments is not plain JSON, and is left alone. */
function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
