import { join, resolve } from 'node:path';
import { readConfigFile } from '../config/config-file.ts';
import { homeConfigPath } from '../config/read-settings.ts';
import { assertNoPassword, isPostgresUrl } from '../continuity/database/store-address.ts';
import type { CommandContext } from '../contract/command.ts';
import type { Home } from '../contract/home.ts';

export interface StoreChoice {
  readonly db_path?: string | undefined;
}

export interface StoreLocation {
  /** The path of a SQLite file, or the URL of a database on Postgres. */
  readonly path: string;
  /** Where the path was set, for `status`. */
  readonly source: 'flag' | 'VYBE_DB_PATH' | 'home';
}

/** The setting that names a store on Postgres; "deed store use" writes it. */
export const STORE_URL = 'store.url';

/** Returns the address of the store: from the flag, the environment, or the home folder. */
export function locateStore(
  { db_path }: StoreChoice,
  { system, home }: Pick<CommandContext, 'system' | 'home'>,
): StoreLocation {
  const named = db_path ?? (system.env.VYBE_DB_PATH || undefined);
  if (named === undefined) return { path: homeStore(home), source: 'home' };
  const source = db_path === undefined ? 'VYBE_DB_PATH' : 'flag';
  if (isPostgresUrl(named)) {
    assertNoPassword(named);
    return { path: named, source };
  }
  const expanded = named === '~' || named.startsWith('~/') ? join(system.userHome, named.slice(1)) : named;
  return { path: resolve(system.cwd, expanded), source };
}

/** The store of a home: the store on Postgres that its configuration names, otherwise its own file. */
export function homeStore(home: Pick<Home, 'path' | 'at'>): string {
  const url = readConfigFile(homeConfigPath(home.path)).values[STORE_URL];
  return typeof url === 'string' && url !== '' ? url : home.at('deed.db');
}

/** The password of a store on Postgres; never a part of its address. */
export function storePassword({ system }: Pick<CommandContext, 'system'>): { readonly password?: string } {
  const password = system.env.DEED_STORE_PASSWORD;
  return password ? { password } : {};
}

/** The address of the database of a command; part of its confirm token. */
export function databaseOf(choice: StoreChoice, context: Pick<CommandContext, 'system' | 'home'>): string {
  return locateStore(choice, context).path;
}
