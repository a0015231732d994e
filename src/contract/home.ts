import { join, resolve } from 'node:path';
import { ensurePrivateFolder } from '../system/private-folder.ts';
import { homeVariable, type Tool } from './tool.ts';
import type { World } from './world.ts';

/** The folder where a tool keeps its state, `~/.deed` unless the environment moves it. */
export interface Home {
  readonly path: string;
  /** Names a file in the home; creates nothing. */
  readonly at: (...segments: string[]) => string;
  /** Creates a private folder in the home and names it. */
  readonly folder: (...segments: string[]) => string;
}

/** Finds the home of a tool; nothing is created before something is written. */
export function locateHome(tool: Tool, world: World): Home {
  const moved = world.env[homeVariable(tool)];
  const path = moved ? resolve(world.cwd, moved) : join(world.userHome, `.${tool.name}`);
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
