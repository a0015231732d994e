import { basename, dirname } from 'node:path';
import { createTail, randomHex } from '../../base/ids.ts';
import { mayBeStore, openStore, readStore } from '../../continuity/database/open-store.ts';
import { PERSON } from '../../continuity/person.ts';
import { countOld, removeOld, type OldRows, type StoreRetention } from '../../continuity/store/remove-old.ts';
import { BACKUPS, isSetAside } from '../backup-files.ts';
import { homeStore, storePassword } from '../locate-store.ts';
import { storeRecord } from '../store-record.ts';
import { listOldFiles, removeFiles, diskSizeOf, type OldFile } from './old-files.ts';
import {
  DAY_MS,
  daysOf,
  NOTHING,
  type Removal,
  type RetentionContext,
  type RetentionRule,
} from './retention-rule.ts';

/** A row with its share of the indexes, on average. */
const ROW_BYTES = 400;
const BACKUP_MS = 90 * DAY_MS;
/** A cleanup does not keep its command waiting for other writers; the next one deletes the rest. */
const WAIT_MS = 2000;

/** Events, memories and stored answers. The file does not shrink: new rows use the space of deleted ones. */
export const STORE_RULE: RetentionRule = {
  part: 'store',
  describe: ({ eventsMs, memoryVersions }) =>
    `Events for ${daysOf(eventsMs)}, and those of open tasks; the newest ${memoryVersions} superseded versions of a memory, and pinned ones; stored answers for 30 days`,
  paths: ({ home }) => [home.at('deed.db'), home.at('deed.db-wal')],
  plan: async (context) => {
    const path = homeStore(context.command.home);
    if (!mayBeStore(path)) return NOTHING;
    return rowsOf(
      await readStore(
        path,
        {
          ...storePassword(context.command),
          record: storeRecord(context.command.home, path, () => context.now),
        },
        (database) => countOld(database, retentionOf(context), context.now),
      ),
    );
  },
  collect: async (context) => {
    const { home } = context.command;
    const path = homeStore(home);
    if (!mayBeStore(path)) return NOTHING;
    const database = await openStore(path, {
      busyTimeoutMs: WAIT_MS,
      record: storeRecord(home, path, context.command.system.clock.now),
      ...storePassword(context.command),
    });
    try {
      const { caller } = context.command;
      const agent = caller.agent ?? `${PERSON}${caller.account.user}`;
      const ports = {
        now: () => context.now,
        isFixed: true,
        randomHex,
        createTail,
        describeFile: async () => undefined,
      };
      return rowsOf(await removeOld(database, retentionOf(context), { agent, ports }));
    } finally {
      database.close();
    }
  },
};

/** Copies of the store: from before a migration, daily ones, and those that a restored store no longer matches. */
export const BACKUP_RULE: RetentionRule = {
  part: 'store_backups',
  describe: () =>
    'The newest copy from before a migration, earlier ones for 90 days; as many compressed daily copies as store.backups says, together up to 256 MB; copies and damaged stores that a restore replaced for 90 days',
  paths: (context) => [
    context.home.at(BACKUPS),
    ...backupsOf(context.home.at('deed.db')).map(({ path }) => path),
  ],
  plan: async (context) => diskSizeOf(oldBackups(context)),
  collect: async (context) => removeFiles(oldBackups(context)),
};

function oldBackups(context: RetentionContext): readonly OldFile[] {
  const path = context.command.home.at('deed.db');
  const newest = backupsOf(path).at(-1)?.path;
  const times = { since: context.since, before: context.now - BACKUP_MS };
  const replaced = listOldFiles(context.command.home.at(BACKUPS), times, isSetAside);
  const damaged = listOldFiles(dirname(path), times, (name) => isDamagedStore(name, basename(path)));
  return [...backupsOf(path, times).filter((file) => file.path !== newest), ...replaced, ...damaged];
}

/** The names contain the version and the time, so they sort by age within a version. */
function backupsOf(path: string, times = { since: 0, before: Number.POSITIVE_INFINITY }): readonly OldFile[] {
  const prefix = `${basename(path)}.schema-`;
  const files = listOldFiles(
    dirname(path),
    times,
    (name) => name.startsWith(prefix) && name.endsWith('.bak'),
  );
  return files.toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

/** A store that a restore replaced, or one of its side files. */
function isDamagedStore(name: string, store: string): boolean {
  return name.startsWith(`${store}.`) && /\.damaged(-wal|-shm)?$/u.test(name);
}

function retentionOf({ limits, since }: RetentionContext): StoreRetention {
  return {
    eventsMs: limits.eventsMs,
    versions: limits.memoryVersions,
    since: since === 0 ? '' : new Date(since).toISOString(),
  };
}

function rowsOf(rows: OldRows): Removal {
  const items = rows.events + rows.versions + rows.expired + rows.requests;
  return { items, bytes: items * ROW_BYTES };
}
