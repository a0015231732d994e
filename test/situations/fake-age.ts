import { spawnSync } from 'node:child_process';
import { openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const AGES = { now: 0, '3 hours': 3 * 3600, '2 days': 2 * 86_400, '8 days': 8 * 86_400 } as const;
export type Age = keyof typeof AGES;

/**
 * Makes all processes of this mount namespace older: the boot time in /proc/stat is earlier, and the uptime larger. Everything else that
 * is read (CPU time, I/O, connections, times of files) is real.
 */
export interface AgeFake {
  readonly set: (olderBySeconds: number) => void;
}

export function openAgeFake(folder: string): AgeFake {
  const files = ['stat', 'uptime'].map((name) => {
    // Opened before the mount covers it, so that the real content stays readable.
    const real = openSync(`/proc/${name}`, 'r');
    const fake = join(folder, `fake-${name}`);
    writeFileSync(fake, readAll(real));
    const { status, stderr } = spawnSync('mount', ['--bind', fake, `/proc/${name}`], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`cannot cover /proc/${name}: ${stderr}`);
    return { name, real, fake };
  });
  return {
    set: (olderBySeconds) => {
      for (const { name, real, fake } of files) {
        const text = readAll(real);
        writeFileSync(
          fake,
          name === 'stat' ? shiftBoot(text, olderBySeconds) : shiftUptime(text, olderBySeconds),
        );
      }
    },
  };
}

function shiftBoot(text: string, seconds: number): string {
  return text.replace(/^btime (\d+)$/mu, (_, boot: string) => `btime ${Number(boot) - seconds}`);
}

function shiftUptime(text: string, seconds: number): string {
  return text.replace(/^[\d.]+/u, (up) => (Number(up) + seconds).toFixed(2));
}

function readAll(descriptor: number): string {
  const buffer = Buffer.alloc(1 << 20);
  return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, 0));
}
