import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import * as v from 'valibot';
import { databaseOf, locateStore } from '../../app/locate-store.ts';
import { listBackups } from '../../app/backup-files.ts';
import { listMissingWrites, readBackup, replaceStore } from '../../app/restore-store.ts';
import { readNewestBackup, setAsideNewer } from '../../app/store-backups.ts';
import { storeRecord } from '../../app/store-record.ts';
import { damaged } from '../../base/damaged.ts';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { isPostgresUrl } from '../../continuity/database/store-address.ts';
import { readExtent } from '../../continuity/database/sqlite/compare-copies.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import { STORE_PARAMETERS } from '../continuity/define-journal-write.ts';
import { pathText } from '../continuity/text-parameters.ts';

const missingWrite = v.object({
  at: v.string(),
  command: v.string(),
  agent: v.nullable(v.string()),
  request_id: v.nullable(v.string()),
});

const params = {
  from: described(v.optional(pathText), 'The backup (default: the newest automatic one)'),
  accept_loss: described(
    v.optional(v.boolean(), false),
    'Keep the store as it is, or start an empty one, and stop reporting the lost writes',
  ),
  ...STORE_PARAMETERS,
};

type Given = {
  readonly from?: string | undefined;
  readonly accept_loss: boolean;
  readonly db_path?: string | undefined;
};

/** What a restore would do: the backup (null: the store stays as it is), and how far the result reaches. */
function planRestore(given: Given, context: CommandContext) {
  const { path } = locateStore(given, context);
  if (isPostgresUrl(path) && !given.accept_loss) throw restoredOnServer(path);
  const from = given.accept_loss ? null : chooseBackup(given, context);
  const extent =
    from === null
      ? (readExtent(path) ?? { lastEvent: 0, lastWriteAt: null })
      : readBackup(context.home, from);
  return { path, from, extent, missing: listMissingWrites(context.home, extent.lastWriteAt) };
}

export default defineWrite({
  path: 'store restore',
  summary: 'Restore the database from a backup, and list the writes that it does not contain',
  description:
    'Replaces the database with the newest automatic backup, or with the file of --from, and keeps the replaced files under another name. The answer lists the writes in the ' +
    'audit log that are newer than the backup. With --accept-loss nothing is replaced: the store continues as it is, or empty if it was removed',
  gate: 'dangerous',
  params,
  output: v.object({
    path: v.string(),
    from: v.nullable(v.string()),
    kept_as: described(v.nullable(v.string()), 'The replaced database; null if there was none'),
    last_event_id: v.string(),
    missing_count: int(),
    missing: described(v.array(missingWrite), 'The newest writes that the store does not contain'),
    replayed: v.optional(v.literal(true)),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['missing[].agent', 'missing[].request_id'],
  examples: ['store restore --dry-run', 'store restore --confirm <token> --dangerous'],
  errors: ['E_NOT_FOUND', 'E_CONFLICT', 'E_CONFIG', 'E_DAMAGED', 'E_FORBIDDEN'],
  database: databaseOf,
  plan: async (given, context) => {
    const { path, from, extent, missing } = planRestore(given, context);
    const known = storeRecord(context.home, path, context.system.clock.now).read();
    return {
      changes: [
        {
          action: from === null ? 'accept loss' : 'restore',
          resource: 'store',
          id: path,
          before: { last_event_id: String(known) },
          after: { from, last_event_id: String(extent.lastEvent), missing_writes: missing.count },
          version: `${from} ${extent.lastEvent} ${known}`,
        },
      ],
    };
  },
  run: async (given, context) => {
    const { path, from, extent, missing } = planRestore(given, context);
    const kept = from === null ? null : replaceStore(context.home, path, from, context.system.clock.now());
    storeRecord(context.home, path, context.system.clock.now).write(extent.lastEvent);
    if (path === context.home.at('deed.db')) setAsideNewer(context.home, extent.lastEvent);
    return {
      path,
      from,
      kept_as: kept,
      last_event_id: String(extent.lastEvent),
      missing_count: missing.count,
      missing: missing.items,
    };
  },
});

function restoredOnServer(path: string): Fault {
  return new Fault('E_CONFIG', `Cannot restore ${path}: a store on Postgres is restored on its server.`, {
    hint: 'Restore it there from a backup of Postgres; then run this command with --accept-loss.',
    details: { path },
  });
}

function chooseBackup(given: Given, context: CommandContext): string {
  const { from } = given;
  const chosen = from === undefined ? automaticBackup(given, context) : resolve(context.system.cwd, from);
  const stats = chosen === undefined ? undefined : statSync(chosen, { throwIfNoEntry: false });
  if (chosen !== undefined && stats?.isFile()) return chosen;
  // A pipe would block.
  if (stats !== undefined)
    throw new Fault('E_VALIDATION', `${chosen} is not a regular file.`, {
      hint: 'Pass the file of a backup to --from.',
      details: { field: 'from', path: chosen ?? null },
    });
  throw new Fault(
    'E_NOT_FOUND',
    chosen === undefined
      ? 'There is no automatic backup of this store.'
      : `The file ${chosen} does not exist.`,
    {
      hint: 'Pass a backup to --from, or add --accept-loss to continue without the lost writes.',
      details: { field: 'from', path: chosen ?? null },
    },
  );
}

function allDamaged(path: string): Fault {
  return damaged(
    path,
    'no automatic backup of this store can be read',
    'Pass a backup to --from, or add --accept-loss to continue without the lost writes.',
  );
}

/** Automatic backups are made of the store of the home only. */
function automaticBackup(given: Given, context: CommandContext): string | undefined {
  const isBackedUp = locateStore(given, context).path === context.home.at('deed.db');
  if (!isBackedUp) return undefined;
  const newest = readNewestBackup(context.home, (_, backup) => backup);
  const damagedOne = listBackups(context.home).at(-1);
  if (newest === undefined && damagedOne !== undefined) throw allDamaged(damagedOne);
  return newest;
}
