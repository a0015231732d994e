import { statSync } from 'node:fs';
import { join } from 'node:path';
import { mayBeStore, readStore, type OpenStoreOptions } from '../continuity/database/open-store.ts';
import { isPostgresUrl } from '../continuity/database/store-address.ts';
import { readEvents } from '../continuity/events/event.ts';
import type { CommandContext } from '../contract/command.ts';
import { listNames } from '../system/list-names.ts';
import { readOpenIfKnown } from '../work/run/open-runs.ts';
import { jobFolder, listIds, runFolder } from '../work/run/run-folder.ts';
import { locateStore, storePassword } from './locate-store.ts';

/** The ids of what changed since the last poll, and of the events that were added to the journal. */
export interface Changes {
  readonly tasks: readonly string[];
  readonly events: readonly string[];
  readonly runs: readonly string[];
  readonly jobs: readonly string[];
  readonly sessions: readonly string[];
}

export interface ChangeFeed {
  /** Resolves when later changes will be reported. */
  readonly start: () => Promise<void>;
  readonly stop: () => void;
}

const INTERVAL_MS = 500;
const MAX_EVENTS = 1000;
/** Of older runs only the open ones are compared: a run that ended does not change. The same applies to jobs. */
const MAX_RUNS = 200;
const MAX_JOBS = 50;
/** The ids of sessions have no order: with more of them, a change is found when a page is opened. */
const MAX_SESSIONS = 2000;

/**
 * Reports changes of tasks, runs, jobs and sessions of agents, made by any process. While it runs it compares the time stamps of the store, the run
 * folders and the session files; only when the store changed are the new events read.
 */
export function createChangeFeed(
  context: Pick<CommandContext, 'system' | 'home' | 'warn'>,
  onChanges: (changes: Changes) => void,
): ChangeFeed {
  const store = { path: locateStore({}, context).path, access: storePassword(context) };
  let timer: NodeJS.Timeout | undefined;
  let last: FeedState | undefined;
  let polling: Promise<void> | undefined;
  let isBroken = false;
  const compare = async (): Promise<void> => {
    try {
      const next = await readFeedState(store, context.home.path, last);
      if (next.problem !== undefined) report('tasks', next.problem);
      else isBroken = false;
      const changes = last === undefined ? undefined : changesBetween(last, next);
      last = next;
      if (changes !== undefined && Object.values(changes).some(({ length }) => length > 0))
        onChanges(changes);
    } catch (error) {
      report('tasks and runs', error);
    }
  };
  /** Once: what cannot be read at this moment, such as a locked store, is tried again with the next poll. */
  const report = (what: string, error: unknown): void => {
    if (!isBroken) context.warn(`Changes of ${what} cannot be read: ${String(error)}`);
    isBroken = true;
  };
  const poll = (): Promise<void> => {
    polling ??= compare().finally(() => (polling = undefined));
    return polling;
  };
  return {
    start: async () => {
      timer ??= setInterval(() => void poll(), INTERVAL_MS).unref();
      if (last === undefined) await poll();
    },
    stop: () => {
      clearInterval(timer);
      timer = undefined;
      last = undefined;
    },
  };
}

/** What one poll has read. */
interface FeedState {
  readonly store: string;
  /** Undefined until the store was read once. */
  readonly lastEvent: number | undefined;
  /** Why the store cannot be read; runs, jobs and sessions are compared nevertheless. */
  readonly problem?: unknown;
  /** The events after the previous poll, and their tasks. */
  readonly events: readonly string[];
  readonly tasks: readonly string[];
  readonly runs: Stamps;
  readonly jobs: Stamps;
  readonly sessions: Stamps;
}

/** What changes with every change of a folder, by the id of its run or job. */
type Stamps = ReadonlyMap<string, string>;

interface WatchedStore {
  readonly path: string;
  readonly access: OpenStoreOptions;
}

async function readFeedState(
  store: WatchedStore,
  home: string,
  last: FeedState | undefined,
): Promise<FeedState> {
  const { path } = store;
  // The stamp is taken before the events are read: a write in between is seen again, not missed.
  const stamp = `${stampOf(path)} ${stampOf(`${path}-wal`)}`;
  const isUnchanged = stamp === last?.store && !isPostgresUrl(path);
  const runIds = new Set([...listIds(home, 'run').slice(0, MAX_RUNS), ...(readOpenIfKnown(home) ?? [])]);
  const runs = stampsOf([...runIds], (id) => runFolder(home, id));
  const jobs = stampsOf(listIds(home, 'job').slice(0, MAX_JOBS), (id) => jobFolder(home, id));
  const sessions = sessionStamps(join(home, 'sessions'));
  const folders = { runs, jobs, sessions };
  const since = last?.lastEvent;
  if (isUnchanged || !mayBeStore(path))
    return { store: stamp, lastEvent: since ?? 0, events: [], tasks: [], ...folders };
  try {
    const events = await readNewEvents(store, since);
    return {
      // After a full page there may be more events: they are read next time although the store is unchanged.
      store: since !== undefined && events.length === MAX_EVENTS ? '' : stamp,
      lastEvent: Math.max(since ?? 0, ...events.map(({ id }) => Number(id))),
      events: events.map(({ id }) => id),
      tasks: [...new Set(events.flatMap(({ task_id: task }) => (task === null ? [] : [task])))],
      ...folders,
    };
  } catch (problem) {
    return { store: '', lastEvent: since, problem, events: [], tasks: [], ...folders };
  }
}

/** Reads the events after an id; without one, only the newest event, after which the feed begins. */
async function readNewEvents({ path, access }: WatchedStore, since: number | undefined) {
  return readStore(path, access, (session) =>
    readEvents(session, {
      ascending: since !== undefined,
      ...(since !== undefined && { sinceId: since }),
      includeArchived: true,
      limit: since === undefined ? 1 : MAX_EVENTS,
    }),
  );
}

function changesBetween(last: FeedState, next: FeedState): Changes {
  return {
    tasks: next.tasks,
    events: next.events,
    runs: changedStamps(last.runs, next.runs),
    jobs: changedStamps(last.jobs, next.jobs),
    sessions: changedStamps(last.sessions, next.sessions),
  };
}

function changedStamps(last: Stamps, next: Stamps): readonly string[] {
  const changed = [...next].filter(([id, stamp]) => last.get(id) !== stamp).map(([id]) => id);
  // An old run that ended is no longer compared.
  const gone = [...last.keys()].filter((id) => !next.has(id));
  return [...changed, ...gone];
}

function sessionStamps(folder: string): Stamps {
  const names = listNames(folder).filter((name) => name.endsWith('.jsonl'));
  const ids = names.slice(0, MAX_SESSIONS).map((name) => name.slice(0, -'.jsonl'.length));
  return stampsOf(ids, (id) => join(folder, `${id}.jsonl`));
}

function stampsOf(ids: readonly string[], folderOf: (id: string) => string): Stamps {
  return new Map(ids.map((id) => [id, stampOf(folderOf(id))]));
}

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? '' : `${stats.mtimeNs}/${stats.size}/${stats.ino}`;
}
