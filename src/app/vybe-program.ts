import { dirname, join } from 'node:path';
import { quoteForShell } from '../base/quote-for-shell.ts';
import type { System } from '../contract/system.ts';
import { findProgram } from '../system/find-program.ts';

/** The `vybe` beside this program, so that hooks work whatever PATH their host has. */
export function vybeProgram({ executable }: System): readonly string[] {
  return [join(dirname(executable.path), 'vybe')];
}

/** What an agent can type to reach `vybe`: its name where the PATH leads to one. */
export function vybeWords(system: System): string {
  const isOnPath = findProgram('vybe', system.env.PATH ?? '') !== undefined;
  return isOnPath ? 'vybe' : vybeProgram(system).map(quoteForShell).join(' ');
}
