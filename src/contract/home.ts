import { join, resolve } from 'node:path';
import { ensurePrivateFolder } from '../system/private-folder.ts';
import { homeVariable, type Tool } from './tool.ts';
import type { System } from './system.ts';

/** The folder where a tool stores its state, `~/.deed` unless the environment sets another. */
export interface Home {
  readonly path: string;
  /** Returns a path in the home; creates nothing. */
  readonly at: (...segments: string[]) => string;
  /** Creates a private folder in the home and returns its path. */
  readonly folder: (...segments: string[]) => string;
}

/** Locates the home of a tool; it is created by the first write. */
export function locateHome(tool: Tool, system: System): Home {
  const override = system.env[homeVariable(tool)];
  const path = override ? resolve(system.cwd, override) : join(system.userHome, `.${tool.name}`);
  return {
    path,
    at: (...segments) => join(path, ...segments),
    folder: (...segments) => {
      const folder = join(path, ...segments);
      ensurePrivateFolder(folder);
      return folder;
    },
  };
}
