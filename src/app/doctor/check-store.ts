import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { SCHEMA_VERSION } from '../../continuity/database/sqlite/migrations.ts';
import { readSchemaVersion, readSqlite } from '../../continuity/database/sqlite/open-sqlite.ts';
import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import { locateStore } from '../locate-store.ts';

const BUSY_TIMEOUT_MS = 2000;

/** The store can be opened and written, is intact, and has the current schema. */
export const checkStore: Checker = async (context) => {
  const { path } = locateStore({}, context);
  const { name } = context.tool;
  const version = readSchemaVersion(path);
  if (version === undefined) return pass('store', `${path} will be created on first use.`);
  if (version < SCHEMA_VERSION)
    return warn(
      'store',
      `${path} has schema version ${version}; this program requires ${SCHEMA_VERSION}.`,
      `${name} store upgrade --dry-run`,
    );
  const [problem] = await readSqlite(path, { busyTimeoutMs: BUSY_TIMEOUT_MS }, (database) =>
    database.check(),
  );
  if (problem !== undefined)
    return fail(
      'store',
      `${path} is damaged: ${problem}.`,
      'Save a copy of the damaged file, then restore a backup or an export.',
    );
  const unwritable = [path, dirname(path)].find((candidate) => !canWrite(candidate));
  if (unwritable !== undefined)
    return fail('store', `${unwritable} is not writable.`, 'Make it writable for this account.');
  return pass('store', `${path} is intact, schema version ${version}.`);
};

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return !existsSync(path);
  }
}
