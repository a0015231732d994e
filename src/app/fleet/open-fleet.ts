import { resolve } from 'node:path';
import { errorMessage } from '../../base/error-message.ts';
import { randomHex } from '../../base/ids.ts';
import { describeSharedStore } from '../../continuity/database/open-store.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { Fleet } from '../../work/fleet/fleet.ts';
import { createItemActivity } from '../../work/fleet/item-activity.ts';
import type { ItemRecord } from '../../work/fleet/item-record.ts';
import { needsSharedStore, openPgBossQueue } from '../../work/fleet/pg-boss-queue.ts';
import { databaseQueue } from '../../work/fleet/queue-names.ts';
import { shareRecord } from '../../work/fleet/shared-jobs.ts';
import type { WorkQueue } from '../../work/fleet/work-queue.ts';
import type { WorkContext } from '../../work/work-context.ts';
import { locateStore, storePassword } from '../locate-store.ts';
import { projectOf } from '../project-of.ts';
import { openRemote } from './open-remote.ts';

const MAX_CONNECTIONS = 4;
const CONNECT_MS = 10_000;
/** Statements of the queue are short; a connection that does not answer in this time is closed. */
const ANSWER_MS = 20_000;
/** The name of a schema has at most 63 characters. */
const MAX_SCHEMA = 57;

type FleetContext = Pick<CommandContext, 'system' | 'home' | 'progress'>;

export interface FleetOptions {
  readonly queue: string;
  readonly root: string | undefined;
  /** The folder of a keyring, instead of the keyring of the home. */
  readonly keys?: string | undefined;
}

/** Opens the queue of this home's store, and the clone of a folder with its remote. */
export async function openFleet(
  context: FleetContext,
  work: WorkContext,
  { queue: name, root: folder = '.', keys }: FleetOptions,
): Promise<Fleet> {
  const remote = await openRemote(context, work, folder);
  const project = (await projectOf(context, remote.root)) ?? remote.root;
  const queueName = databaseQueue(name, project);
  const queue = await openQueue(context);
  const { host } = context.system.account;
  const id = `${host}-${randomHex(4)}`;
  const keysFolder = keys === undefined ? undefined : resolve(context.system.cwd, keys);
  const report = context.progress;
  return {
    id,
    host,
    work,
    queue,
    queueName,
    remote: { ...remote, onWritten: (record) => publishRecord(queue, record, report) },
    repository: project,
    activity: createItemActivity(work.home),
    keysFolder,
    report,
  };
}

/** Publishes the new state of an item in the database, for views on other hosts. A failure is only reported: the ref is authoritative. */
export async function publishRecord(
  { documents }: Pick<WorkQueue, 'documents'>,
  record: ItemRecord,
  report: (message: string) => void,
): Promise<void> {
  try {
    await shareRecord(documents, record);
  } catch (error) {
    report(`${record.item_id}: other hosts cannot see its state: ${errorMessage(error)}`);
  }
}

/** Opens the queue in the database of the store, in a schema next to it. */
export async function openQueue(context: Pick<CommandContext, 'system' | 'home'>): Promise<WorkQueue> {
  const store = await describeSharedStore(locateStore({}, context).path, storePassword(context));
  if (store === undefined) throw needsSharedStore();
  const schema = `${store.schema.slice(0, MAX_SCHEMA)}_queue`;
  return openPgBossQueue({
    connections: store.open({
      application_name: 'deed',
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    }),
    schema,
    queueStatements: store.queueStatements(schema),
    toFault: store.toFault,
  });
}
