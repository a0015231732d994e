import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { installedPrograms, type HookHost, type HookPlaces } from '../../continuity/hooks/hook-files.ts';
import type { System } from '../../contract/system.ts';
import { findProgram } from '../../system/find-program.ts';
import { vybeProgram } from '../vybe-program.ts';

/** Why the hooks of a host would not call this program; nothing when they would. A new install replaces them. */
export function hookProblem(host: HookHost, places: HookPlaces, system: System): string | undefined {
  const installed = installedPrograms(host, places);
  if (installed.length === 0) return undefined;
  const expected = JSON.stringify(vybeProgram(system));
  const others = installed.filter((words) => JSON.stringify(words) !== expected);
  const gone = others.find((words) => !canStart(words, system));
  if (gone !== undefined) return `call ${gone.join(' ') || 'no program'}, which is gone`;
  // Version 0.1.0 was a script and named the Node that ran it.
  const script = others.find((words) => words.length > 1);
  return script && `call ${script.join(' ')}, which an older version of ours installed`;
}

function canStart([program, ...rest]: readonly string[], { env }: System): boolean {
  if (program === undefined) return false;
  const isThere = isAbsolute(program)
    ? existsSync(program)
    : findProgram(program, env.PATH ?? '') !== undefined;
  return isThere && rest.filter(isAbsolute).every((path) => existsSync(path));
}
