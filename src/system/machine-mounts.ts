import { existsSync, readFileSync } from 'node:fs';

/** A mount of this machine, with the flags that a remount must repeat. */
export interface MachineMount {
  readonly at: string;
  /** Its place as the mount table writes it, with escapes. */
  readonly listed: string;
  readonly flags: readonly string[];
}

/** Flags that an unprivileged remount is not allowed to clear. */
const KEPT_FLAGS: ReadonlySet<string> = new Set(['nosuid', 'nodev', 'noexec', 'nosymfollow']);

/** Lists the mounts that this account can reach; those below a folder that it cannot enter stay out of reach in a sandbox too. */
export function listMachineMounts(table = '/proc/self/mountinfo'): readonly MachineMount[] {
  return parseMounts(readFileSync(table, 'utf8')).filter(({ at }) => existsSync(at));
}

/** Parses a mount table; of mounts at the same place only the topmost is visible. */
export function parseMounts(text: string): readonly MachineMount[] {
  const found = new Map<string, MachineMount>();
  for (const line of text.split('\n')) {
    const [, , , , place, options] = line.split(' ');
    if (place === undefined || options === undefined) continue;
    const at = place.replace(/\\([0-7]{3})/gu, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 8)),
    );
    found.set(at, { at, listed: place, flags: options.split(',').filter((flag) => KEPT_FLAGS.has(flag)) });
  }
  return [...found.values()];
}
