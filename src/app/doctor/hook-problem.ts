import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { installedPrograms, type HookHost, type HookLocation } from '../../continuity/hooks/hook-files.ts';
import type { System } from '../../contract/system.ts';
import { findProgram } from '../../system/find-program.ts';
import { vybeProgram } from '../vybe-program.ts';

/** Describes why the installed hooks of a host do not call this program; undefined if they do. A new install replaces such hooks. */
export function hookProblem(host: HookHost, location: HookLocation, system: System): string | undefined {
  const installed = installedPrograms(host, location);
  if (installed.length === 0) return undefined;
  const expected = JSON.stringify(vybeProgram(system));
  const others = installed.filter((words) => JSON.stringify(words) !== expected);
  const missing = others.find((words) => !canStart(words, system));
  if (missing !== undefined) return `call ${missing.join(' ') || 'no program'}, which does not exist`;
  // Version 0.1.0 was a script, and its hooks named the Node that ran it.
  const script = others.find((words) => words.length > 1);
  return script && `call ${script.join(' ')}, which belongs to an older version`;
}

function canStart([program, ...rest]: readonly string[], { env }: System): boolean {
  if (program === undefined) return false;
  const exists = isAbsolute(program)
    ? existsSync(program)
    : findProgram(program, env.PATH ?? '') !== undefined;
  return exists && rest.filter(isAbsolute).every((path) => existsSync(path));
}
