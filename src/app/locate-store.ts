import { join, resolve } from 'node:path';
import type { CommandContext } from '../contract/command.ts';

export interface StoreChoice {
  readonly db_path?: string | undefined;
}

export interface StoreLocation {
  readonly path: string;
  /** Where the path was set, for `status`. */
  readonly source: 'flag' | 'VYBE_DB_PATH' | 'home';
}

/** Returns the path of the database: from the flag, the environment, or the home folder. */
export function locateStore(
  { db_path }: StoreChoice,
  { system, home }: Pick<CommandContext, 'system' | 'home'>,
): StoreLocation {
  const named = db_path ?? (system.env.VYBE_DB_PATH || undefined);
  if (named === undefined) return { path: home.at('deed.db'), source: 'home' };
  const expanded = named === '~' || named.startsWith('~/') ? join(system.userHome, named.slice(1)) : named;
  return {
    path: resolve(system.cwd, expanded),
    source: db_path === undefined ? 'VYBE_DB_PATH' : 'flag',
  };
}

/** The absolute path of the database of a command; part of its confirm token. */
export function databaseOf(choice: StoreChoice, context: Pick<CommandContext, 'system' | 'home'>): string {
  return locateStore(choice, context).path;
}
