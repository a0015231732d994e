import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export interface Found {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly state: string;
  readonly command: string;
  /** The situation it belongs to. */
  readonly situation: string | undefined;
}

/**
 * Finds all processes of this pid namespace with their situation: by the variable in the environment, the folder, the parent or the
 * session; servers may clear some of them.
 */
export function findProcesses(folder: string): readonly Found[] {
  const all = readdirSync('/proc').flatMap((name) =>
    /^\d+$/u.test(name) ? readOne(Number(name), folder) : [],
  );
  const owner = new Map(all.map(({ pid, situation }) => [pid, situation]));
  for (let changed = true; changed;) {
    changed = false;
    for (const { pid, parent, session } of all) {
      const inherited = owner.get(parent) ?? owner.get(session);
      if (owner.get(pid) !== undefined || inherited === undefined) continue;
      owner.set(pid, inherited);
      changed = true;
    }
  }
  return all.map((one) => ({ ...one, situation: owner.get(one.pid) }));
}

function readOne(pid: number, folder: string): Found[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    const marked = /(?:^|\0)TEST_SITUATION=([^\0]+)/u.exec(
      readOrEmpty(() => readFileSync(`/proc/${pid}/environ`, 'latin1')),
    )?.[1];
    const cwd = readOrEmpty(() => readlinkSync(`/proc/${pid}/cwd`));
    const placed = cwd.startsWith(`${folder}/`) ? cwd.slice(folder.length + 1).split('/')[0] : undefined;
    return [
      { pid, parent: Number(parent), session: Number(session), state, command, situation: marked ?? placed },
    ];
  } catch {
    return [];
  }
}

function readOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/** Returns the judged processes of a situation by their name. */
export function readTracked(folder: string, id: string): readonly { name: string; pid: number }[] {
  const dir = join(folder, id);
  return readdirSync(dir).flatMap((file) =>
    file.endsWith('.pid') && !file.startsWith('_')
      ? [{ name: file.slice(0, -4), pid: Number(readFileSync(join(dir, file), 'utf8')) }]
      : [],
  );
}
