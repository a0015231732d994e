import { dirname, extname, join } from 'node:path';
import { quoteForShell } from '../base/quote-for-shell.ts';
import type { World } from '../contract/world.ts';
import { findProgram } from '../system/find-program.ts';

/** The `vybe` beside this program with the runtime that it runs on, so that hooks work whatever PATH and Node their host has. */
export function vybeProgram({ executable: { path, command } }: World): readonly string[] {
  return [...command.slice(0, -1), join(dirname(path), `vybe${extname(path)}`)];
}

/** What an agent can type to reach `vybe`: its name where the PATH leads to one. */
export function vybeWords(world: World): string {
  const isOnPath = findProgram('vybe', world.env.PATH ?? '') !== undefined;
  return isOnPath ? 'vybe' : vybeProgram(world).map(quoteForShell).join(' ');
}
