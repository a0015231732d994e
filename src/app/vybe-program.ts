import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { quoteForShell } from '../base/quote-for-shell.ts';
import type { System } from '../contract/system.ts';
import { findProgram, listPrograms } from '../system/find-program.ts';

/**
 * How a host starts `vybe` at a later time, whatever PATH it has then. A link on the PATH to this very executable comes first: package
 * managers keep it where it is when an update moves the file behind it. Folders of a single project or of npx do not last.
 */
export function vybeProgram(system: System): readonly string[] {
  const program = findVybe(system);
  if (program !== undefined) return program;
  const folder = dirname(system.executable.path);
  throw new Fault('E_CONFIG', `There is no vybe beside ${system.executable.path}.`, {
    hint: `Link it: ln -s ${quoteForShell(system.executable.path)} ${quoteForShell(join(folder, 'vybe'))}`,
    details: { path: join(folder, 'vybe') },
  });
}

/** What an agent can type to reach `vybe`: its name where the PATH leads to one. */
export function vybeWords(system: System): string {
  const isOnPath = findProgram('vybe', system.env.PATH ?? '') !== undefined;
  if (isOnPath) return 'vybe';
  return findVybe(system)?.map(quoteForShell).join(' ') ?? 'vybe';
}

const PASSING_FOLDER = /[/\\]node_modules[/\\]\.bin$|[/\\]_npx[/\\]/u;

function findVybe({ env, executable: { path } }: System): readonly string[] | undefined {
  const onPath = listPrograms('vybe', env.PATH ?? '');
  const lasting = onPath.filter((file) => !PASSING_FOLDER.test(dirname(file)));
  const link = lasting.find((file) => isSameFile(file, path));
  if (link !== undefined) return [link];
  const beside = join(dirname(path), 'vybe');
  if (existsSync(beside)) return [beside];
  const [other] = [...lasting, ...onPath];
  return other === undefined ? undefined : [other];
}

/** Tells whether two paths lead to one file, by links of either kind. */
function isSameFile(left: string, right: string): boolean {
  const [one, two] = [left, right].map((file) => statSync(file, { throwIfNoEntry: false }));
  return one !== undefined && two !== undefined && one.dev === two.dev && one.ino === two.ino;
}
