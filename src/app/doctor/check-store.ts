import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { STORE_SCHEMA_VERSION } from '../../continuity/database/sqlite/migrations.ts';
import { readSchemaVersion, readSqlite } from '../../continuity/database/sqlite/open-sqlite.ts';
import { findLockHolder } from '../../system/find-lock-holder.ts';
import { isStopped } from '../../system/process-identity.ts';
import { settingsOf } from '../../config/settings-of.ts';
import { isPostgresUrl } from '../../continuity/database/store-address.ts';
import { isEmptyStore } from '../../continuity/store/import-store.ts';
import { fail, pass, warn, type Checker } from '../../contract/health-check.ts';
import { describeLoss } from '../../continuity/database/lost-writes.ts';
import { listBackups } from '../backup-files.ts';
import { checkStoredData, DAMAGED_HINT } from '../check-stored-data.ts';
import { readChosenStore } from '../chosen-store.ts';
import { describeBackupProblem, isTooLargeToCopy, readBackupProblem } from '../store-backups.ts';
import { storeRecord } from '../store-record.ts';
import { suggestVybeImport } from '../suggest-vybe-import.ts';
import { locateStore } from '../locate-store.ts';

const BUSY_TIMEOUT_MS = 2000;
/** A store up to this size is checked completely, in a fraction of a second; a larger store is only sampled. */
const CHECKED_BYTES = 16 * 1024 * 1024;

/** Checks that the store can be opened and written, is intact, and has the current schema; with `deep` a large store is read completely too. */
export const checkStore: Checker = async (context, { deep }) => {
  const { path, source } = locateStore({}, context);
  const { name } = context.tool;
  const chosen = source === 'home' ? readChosenStore(context.home) : undefined;
  if (chosen !== undefined && chosen !== path)
    return fail(
      'store',
      `${name} store use chose ${chosen}, but the configuration names ${path}: it was lost or changed.`,
      `${name} store use ${chosen} --dry-run, or for the file in the home: ${name} store use home --dry-run`,
    );
  if (isPostgresUrl(path))
    return (await import('./check-shared-store.ts')).checkSharedStore(path, context, deep);
  const record = storeRecord(context.home, path, context.system.clock.now);
  const version = readSchemaVersion(path, record);
  const loss = version === undefined ? describeLoss(record.read(), 0) : undefined;
  if (loss !== undefined) return fail('store', `${path} has lost data: ${loss}.`, DAMAGED_HINT);
  const isEmpty = version === undefined || (await readSqlite(path, { record }, isEmptyStore));
  const suggested = isEmpty ? suggestVybeImport({}, context) : undefined;
  if (suggested !== undefined) return warn('store', suggested.message, suggested.command);
  if (version === undefined) return pass('store', `${path} will be created on first use.`);
  if (version < STORE_SCHEMA_VERSION)
    return warn(
      'store',
      `${path} has schema version ${version}; this program requires ${STORE_SCHEMA_VERSION}.`,
      `${name} store upgrade --dry-run`,
    );
  const whole = deep || statSync(path).size <= CHECKED_BYTES;
  const [problem] = await readSqlite(path, { busyTimeoutMs: BUSY_TIMEOUT_MS, record }, (database) =>
    checkStoredData(database, context, { depth: whole ? 'full' : 'sample' }),
  );
  if (problem !== undefined) return fail('store', `${path} is damaged: ${problem}.`, DAMAGED_HINT);
  const unwritable = [path, dirname(path)].find((candidate) => !canWrite(candidate));
  if (unwritable !== undefined)
    return fail('store', `${unwritable} is not writable.`, 'Make it writable for this account.');
  const holder = findLockHolder([path, `${path}-shm`]);
  if (holder !== undefined && isStopped(holder))
    return warn(
      'store',
      `${path} can be read, but a stopped process (pid ${holder}) has locked it, so writes fail.`,
      `kill -CONT ${holder}`,
    );
  const keepsCopies =
    Number(settingsOf(context).get('store.backups').value) > 0 && path === context.home.at('deed.db');
  const copyProblem = keepsCopies ? readBackupProblem(context.home, context.system.clock.now()) : undefined;
  if (copyProblem !== undefined)
    return warn('store', `${path} can be read. ${describeBackupProblem(copyProblem)}`, `${name} store check`);
  if (keepsCopies && isTooLargeToCopy(path))
    return warn(
      'store',
      `${path} can be read, but it is too large for daily copies; ${describeNewest(listBackups(context.home).at(-1))}.`,
      `${name} store backup --to <file> --dry-run`,
    );
  return pass(
    'store',
    whole
      ? `${path} is intact, schema version ${version}.`
      : `${path} can be read, schema version ${version}; "${name} store check" reads all of it.`,
  );
};

function describeNewest(copy: string | undefined): string {
  if (copy === undefined) return 'there is none';
  return `the newest is ${copy} of ${statSync(copy).mtime.toISOString().slice(0, 10)}`;
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return !existsSync(path);
  }
}
