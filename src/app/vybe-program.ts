import { dirname, extname, join } from 'node:path';
import { quoteForShell } from '../base/quote-for-shell.ts';
import type { System } from '../contract/system.ts';
import { findProgram } from '../system/find-program.ts';

/** The `vybe` beside this program with the runtime that it runs on, so that hooks work whatever PATH and Node their host has. */
export function vybeProgram({ executable: { path, command } }: System): readonly string[] {
  return [...command.slice(0, -1), join(dirname(path), `vybe${extname(path)}`)];
}

/** What an agent can type to reach `vybe`: its name where the PATH leads to one. */
export function vybeWords(system: System): string {
  const isOnPath = findProgram('vybe', system.env.PATH ?? '') !== undefined;
  return isOnPath ? 'vybe' : vybeProgram(system).map(quoteForShell).join(' ');
}
