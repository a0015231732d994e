import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { SCHEMA_VERSION } from '../../continuity/database/sqlite/migrations.ts';
import { readSchemaVersion, readSqlite } from '../../continuity/database/sqlite/open-sqlite.ts';
import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import { describeLoss } from '../../continuity/database/sqlite/lost-writes.ts';
import { checkStoredData, DAMAGED_HINT } from '../check-stored-data.ts';
import { storeRecord } from '../store-record.ts';
import { locateStore } from '../locate-store.ts';

const BUSY_TIMEOUT_MS = 2000;

/** The store can be opened and written, is intact, and has the current schema. */
export const checkStore: Checker = async (context) => {
  const { path } = locateStore({}, context);
  const { name } = context.tool;
  const record = storeRecord(context.home, path);
  const version = readSchemaVersion(path);
  const loss = version === undefined ? describeLoss(record.read(), 0) : undefined;
  if (loss !== undefined) return fail('store', `${path} has lost data: ${loss}.`, DAMAGED_HINT);
  if (version === undefined) return pass('store', `${path} will be created on first use.`);
  if (version < SCHEMA_VERSION)
    return warn(
      'store',
      `${path} has schema version ${version}; this program requires ${SCHEMA_VERSION}.`,
      `${name} store upgrade --dry-run`,
    );
  const [problem] = await readSqlite(path, { busyTimeoutMs: BUSY_TIMEOUT_MS, record }, (database) =>
    checkStoredData(database, context),
  );
  if (problem !== undefined) return fail('store', `${path} is damaged: ${problem}.`, DAMAGED_HINT);
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
