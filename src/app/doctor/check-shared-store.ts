import { readStore, readStoreVersion } from '../../continuity/database/open-store.ts';
import type { CommandContext } from '../../contract/command.ts';
import { fail, pass, warn, type Check } from '../../contract/health-check.ts';
import { storePassword } from '../locate-store.ts';
import { storeRecord } from '../store-record.ts';

const BUSY_TIMEOUT_MS = 2000;

/** Checks that a store on Postgres can be reached, has the current schema and is intact, and that its server does not lose acknowledged writes. */
export async function checkSharedStore(path: string, context: CommandContext, deep: boolean): Promise<Check> {
  const { name } = context.tool;
  const options = {
    ...storePassword(context),
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    record: storeRecord(context.home, path, context.system.clock.now),
  };
  const version = await readStoreVersion(path, options);
  if (version === undefined)
    return warn('store', `${path} contains no store yet.`, `${name} store upgrade --dry-run`);
  return readStore(path, options, async (database) => {
    const [problem] = await database.check({ depth: deep ? 'full' : 'sample' });
    if (problem !== undefined)
      return fail('store', `${path} is damaged: ${problem}.`, 'Restore it on its server from a backup.');
    const [risk] = (await database.listRisks?.()) ?? [];
    if (risk !== undefined) return warn('store', `${path}: ${risk}.`, 'Change this setting of the server.');
    return pass(
      'store',
      deep
        ? `${path} is intact, schema version ${version}.`
        : `${path} can be read, schema version ${version}; "${name} store check" reads all of it.`,
    );
  });
}
