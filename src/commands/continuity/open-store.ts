import { resolve } from 'node:path';
import { STAGE_VARIABLE } from '../../app/journal/staged-log.ts';
import { locateStore, storePassword, type StoreChoice } from '../../app/locate-store.ts';
import { Fault } from '../../base/fault.ts';
import { createTail, randomHex } from '../../base/ids.ts';
import { unsafeText } from '../../base/text.ts';
import type { Database } from '../../continuity/database/database.ts';
import {
  mayBeStore,
  openStore,
  readStore,
  type OpenStoreOptions,
} from '../../continuity/database/open-store.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import { notBehind } from '../../continuity/not-behind.ts';
import { PERSON } from '../../continuity/person.ts';
import type { StorePorts } from '../../continuity/scope.ts';
import { isBackupDue } from '../../app/backup-files.ts';
import { storeRecord } from '../../app/store-record.ts';
import { suggestVybeImport } from '../../app/suggest-vybe-import.ts';
import type { CommandContext } from '../../contract/command.ts';

/** Reads from the store; nothing is created or changed. */
export async function withReader<T>(
  choice: StoreChoice,
  context: CommandContext,
  work: (database: Database, at: string) => Promise<T>,
): Promise<T> {
  const { path } = locateStore(choice, context);
  hintAtOtherStore(path, choice, context);
  const options = {
    ...openOptions(context),
    record: storeRecord(context.home, path, context.system.clock.now),
  };
  return readStore(path, options, (database) => {
    const nowMs =
      database.nowMs?.() ?? notBehind(database, { now: context.system.clock.now, warn: warnOnce(context) });
    return work(database, new Date(nowMs).toISOString());
  });
}

/** One writer per call, closed after the answer was printed, because closing runs a checkpoint, which takes longer than most writes. */
const opened = new WeakMap<CommandContext, Database>();

export async function openWriter(choice: StoreChoice, context: CommandContext): Promise<Database> {
  let database = opened.get(context);
  if (database === undefined) {
    const { path } = locateStore(choice, context);
    hintAtOtherStore(path, choice, context);
    database = await openStore(path, {
      ...openOptions(context),
      record: storeRecord(context.home, path, context.system.clock.now),
      onMigrated: (backup) =>
        context.warn(`The store was migrated to the schema of this version. The backup is ${backup}.`),
    });
    opened.set(context, database);
    // Once a day; other calls do not load it.
    const backups = isBackupDue(context) ? await import('../../app/store-backups.ts') : undefined;
    context.cleanUp(() => {
      // Before the close, which removes the side files of the store.
      backups?.backupWhenDue(path, context);
      database?.close();
    });
  }
  return database;
}

const hinted = new WeakSet<CommandContext>();

/** A user who comes from the Go program vybe would otherwise see an empty store, and think that everything is lost. */
function hintAtOtherStore(path: string, choice: StoreChoice, context: CommandContext): void {
  if (mayBeStore(path) || hinted.has(context)) return;
  hinted.add(context);
  const suggested = suggestVybeImport(choice, context);
  if (suggested !== undefined) context.warn(`${suggested.message} To import them, run: ${suggested.command}`);
}

export function openOptions(context: CommandContext): OpenStoreOptions {
  const text = context.system.env.VYBE_BUSY_TIMEOUT_MS;
  if (!text) return storePassword(context);
  const busyTimeoutMs = Number(text);
  if (Number.isInteger(busyTimeoutMs) && busyTimeoutMs >= 0 && busyTimeoutMs <= 600_000)
    return { busyTimeoutMs, ...storePassword(context) };
  throw new Fault('E_CONFIG', `VYBE_BUSY_TIMEOUT_MS must be an integer from 0 to 600000, not "${text}".`, {
    hint: 'Set it to a number of milliseconds, or unset it.',
    details: { variable: 'VYBE_BUSY_TIMEOUT_MS' },
  });
}

export function storePorts(context: CommandContext): StorePorts {
  const { system } = context;
  return {
    now: system.clock.now,
    warn: warnOnce(context),
    randomHex,
    createTail,
    describeFile: async (path, maxHashedBytes) =>
      (await import('../../continuity/store/describe-file.ts')).describeFile(
        resolve(system.cwd, path),
        maxHashedBytes,
      ),
  };
}

const warned = new WeakSet<CommandContext>();

/** A call reads the clock several times; one warning about it is enough. */
function warnOnce(context: CommandContext): (message: string) => void {
  return (message) => {
    const isClock = message.startsWith('The clock (');
    if (isClock && warned.has(context)) return;
    if (isClock) warned.add(context);
    context.warn(message);
  };
}

/** The name of the caller: the agent that was passed or detected, or the user. */
export function agentOf(
  { agent }: { readonly agent?: string | undefined },
  { caller, system }: CommandContext,
): string {
  const name = agent ?? caller.agent;
  // Inside a run, the configured name of the agent is an alias of the name that holds the claims of its job.
  if (system.env[STAGE_VARIABLE] && name === system.env.DEED_AGENT && system.env.VYBE_AGENT)
    return system.env.VYBE_AGENT;
  if (name === null) return `${PERSON}${caller.account.user}`;
  if (
    name !== '' &&
    name.length <= STORE_LIMITS.nameCharacters &&
    !name.startsWith(PERSON) &&
    !unsafeText(name)
  )
    return name;
  throw new Fault('E_VALIDATION', `Invalid agent name: "${name.slice(0, 80)}".`, {
    hint: `Use 1 to ${STORE_LIMITS.nameCharacters} characters that do not start with "${PERSON}".`,
    details: { field: 'agent' },
  });
}
