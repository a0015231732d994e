import { isAbsolute } from 'node:path';
import { isPostgresUrl } from '../continuity/database/store-address.ts';
import { STORE_LIMITS } from '../continuity/store-limits.ts';
import type { CommandContext } from '../contract/command.ts';
import { STAGE_PROJECT_VARIABLE } from './journal/staged-log.ts';
import { locateStore, type StoreChoice } from './locate-store.ts';

/**
 * The project id of a folder. In a file it is the path. A shared store has clones of other machines, so there it is the name of the
 * repository; a folder without one keeps its path. Null if the id would be too long.
 */
export async function projectOf(
  context: Pick<CommandContext, 'system' | 'home'>,
  folder: string,
  store: StoreChoice = {},
): Promise<string | null> {
  const named = nameInRun(context) ?? (await sharedName(context, folder, store));
  const project = named ?? folder;
  return project.length <= STORE_LIMITS.nameCharacters ? project : null;
}

/** The store of a run is a private file, but its project has the name of the shared store that it was copied from. */
function nameInRun({ system }: Pick<CommandContext, 'system'>): string | undefined {
  const name = system.env[STAGE_PROJECT_VARIABLE];
  return name && !isAbsolute(name) ? name : undefined;
}

async function sharedName(
  context: Pick<CommandContext, 'system' | 'home'>,
  folder: string,
  store: StoreChoice,
): Promise<string | undefined> {
  if (!isPostgresUrl(locateStore(store, context).path)) return undefined;
  // A store in a file needs no git.
  const { readProjectName } = await import('../work/workspace/read-project-name.ts');
  return readProjectName(context.system, folder);
}
