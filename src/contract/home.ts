import { join, resolve } from 'node:path';
import { ensurePrivateFolder } from '../system/private-folder.ts';
import { homeVariable, type Tool } from './tool.ts';
import type { System } from './system.ts';

/** The folder where a tool keeps its state, `~/.deed` unless the environment moves it. */
export interface Home {
  readonly path: string;
  /** Names a file in the home; creates nothing. */
  readonly at: (...segments: string[]) => string;
  /** Creates a private folder in the home and names it. */
  readonly folder: (...segments: string[]) => string;
}

/** Finds the home of a tool; nothing is created before something is written. */
export function locateHome(tool: Tool, system: System): Home {
  const moved = system.env[homeVariable(tool)];
  const path = moved ? resolve(system.cwd, moved) : join(system.userHome, `.${tool.name}`);
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
