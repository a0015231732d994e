import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayBeStore, openStore } from '../../continuity/database/open-store.ts';
import type { Reader } from '../../continuity/database/queries/project-rows.ts';
import { openSqlite } from '../../continuity/database/sqlite/open-sqlite.ts';
import { copyProjectRows } from '../../continuity/store/copy-project-rows.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { RecordedRun } from '../../work/journal/run-journal.ts';
import type { StagedJournal, StagedLocation } from '../../work/journal/staged-journal.ts';
import { commitStaged } from './commit-staged.ts';
import { jobAgentName, withProject } from './journal-store.ts';
import { locateStore, storePassword } from '../locate-store.ts';
import { readStaged } from './read-staged.ts';
import { stagedLogPath, STAGE_PROJECT_VARIABLE, STAGE_VARIABLE } from './staged-log.ts';

type StagedContext = Pick<CommandContext, 'system' | 'home' | 'table'>;

/** Gives each run a private copy of the journal, and commits its writes to the store when the run is promoted. */
export function createStagedJournal(context: StagedContext): StagedJournal {
  return {
    open: (run, location) => openCopy(context, run, location),
    read: async (run, { scratch }, startedAtMs) =>
      readStaged(stagedLogPath(scratch.host), {
        agents: [jobAgentName(run), run.agentId],
        startedAtMs,
        nowMs: context.system.clock.now(),
      }),
    commit: (run, promote) => commitStaged(context, run, promote),
  };
}

/** Copies the project's part of the store into a private home of the run; other projects are not visible to the agent. */
async function openCopy(
  context: StagedContext,
  run: RecordedRun,
  { scratch }: StagedLocation,
): Promise<Readonly<Record<string, string>>> {
  const { project } = await withProject(context, run);
  const source = locateStore({}, context).path;
  if (!mayBeStore(source)) return {};
  const home = join(scratch.host, 'home');
  mkdirSync(home, { mode: 0o700 });
  const part = join(home, 'deed.db');
  const reader = { project: project ?? '', agent: run.agentId };
  await copyPart(context, source, part, reader);
  chmodSync(part, 0o600);
  // Commands may run as the owner of the tree.
  const { uid, gid } = statSync(scratch.host);
  for (const path of [home, part]) if (statSync(path).uid !== uid) chownSync(path, uid, gid);
  return {
    DEED_HOME: join(scratch.inside, 'home'),
    [STAGE_VARIABLE]: stagedLogPath(scratch.inside),
    [STAGE_PROJECT_VARIABLE]: project ?? '',
    VYBE_AGENT: jobAgentName(run),
  };
}

/** The run gets a separate SQLite file, so that it sees neither the address nor the password of a store on Postgres. */
async function copyPart(context: StagedContext, source: string, part: string, reader: Reader): Promise<void> {
  createEmptyStore(part);
  const [store, copied] = [await openStore(source, storePassword(context)), openSqlite(part)];
  try {
    await copyProjectRows(store, copied, reader);
  } finally {
    copied.close();
    store.close();
  }
}

/** The bytes of a store without rows: a worker needs one for every run, and to create its tables takes longer than to fill them. */
let emptyStore: Buffer | undefined;

function createEmptyStore(path: string): void {
  if (emptyStore !== undefined) {
    writeFileSync(path, emptyStore, { flag: 'wx', mode: 0o600 });
    return;
  }
  openSqlite(path).close();
  emptyStore = readFileSync(path);
}
