import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { quoteForShell } from '../base/quote-for-shell.ts';
import { countVybeRows } from '../continuity/database/sqlite/read-vybe-store.ts';
import type { CommandContext } from '../contract/command.ts';
import { locateStore, type StoreChoice } from './locate-store.ts';

/** Where the Go program vybe keeps its store, below the home folder of the user. */
const DEFAULT_PATH = '.config/vybe/vybe.db';

export interface ImportSuggestion {
  readonly message: string;
  readonly command: string;
}

/**
 * Suggests importing a store of the Go program vybe, for a caller that has found this store missing or empty; undefined if there is nothing to
 * suggest.
 */
export function suggestVybeImport(
  choice: StoreChoice,
  context: Pick<CommandContext, 'system' | 'home'>,
): ImportSuggestion | undefined {
  const found = join(context.system.userHome, DEFAULT_PATH);
  if (locateStore(choice, context).source !== 'home' || !existsSync(found)) return undefined;
  const rows = countVybeRows(found);
  if (rows === undefined || rows.tasks + rows.memories === 0) return undefined;
  return {
    message: `The store is empty, and ${found} has ${rows.tasks} tasks and ${rows.memories} memories of the Go program vybe.`,
    command: `deed store import --from vybe ${quoteForShell(found)} --dry-run`,
  };
}
