import type { ProcReader } from './proc-reader.ts';

/** The facts about the machine. */
export interface Machine {
  readonly bootId: string;
  readonly bootTimeSeconds: number;
  readonly ticksPerSecond: number;
  readonly pageBytes: number;
  readonly cpuCount: number;
  readonly memory: { readonly totalBytes: number; readonly availableBytes: number };
  readonly hidepid: '0' | '1' | '2' | '4' | 'unknown';
}

export function readMachine(reader: ProcReader): Machine {
  const stat = (reader.whole('stat', 4 * 1024 * 1024) ?? Buffer.alloc(0)).toString('latin1');
  const auxiliary = parseAuxv(reader.whole('self/auxv', 4096) ?? Buffer.alloc(0));
  return {
    bootId: (reader.head('sys/kernel/random/boot_id') ?? '').trim(),
    bootTimeSeconds: Number(/^btime (\d+)/mu.exec(stat)?.[1] ?? 0),
    ticksPerSecond: auxiliary.get(AUX_CLOCK_TICK) ?? 100,
    pageBytes: auxiliary.get(AUX_PAGE_SIZE) ?? 4096,
    cpuCount: Math.max(1, stat.match(/^cpu\d+ /gmu)?.length ?? 1),
    memory: parseMeminfo(reader.head('meminfo') ?? ''),
    hidepid: parseHidepid(reader.head('self/mounts') ?? ''),
  };
}

const AUX_PAGE_SIZE = 6;
const AUX_CLOCK_TICK = 17;

/** Parses the auxiliary vector: pairs of words that the kernel passes to every program. */
export function parseAuxv(bytes: Buffer): Map<number, number> {
  const found = new Map<number, number>();
  for (let at = 0; at + 16 <= bytes.length; at += 16) {
    found.set(Number(bytes.readBigUInt64LE(at)), Number(bytes.readBigUInt64LE(at + 8)));
  }
  return found;
}

export function parseMeminfo(text: string): { totalBytes: number; availableBytes: number } {
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'mu').exec(text)?.[1] ?? 0) * 1024;
  return { totalBytes: bytes('MemTotal'), availableBytes: bytes('MemAvailable') };
}

/** Finds the `hidepid` option of /proc; newer kernels print it as a word. */
export function parseHidepid(mounts: string): Machine['hidepid'] {
  const line = mounts.split('\n').findLast((mount) => / \/proc proc /u.test(mount));
  if (line === undefined) return 'unknown';
  const mode = /hidepid=(\w+)/u.exec(line)?.[1] ?? '0';
  const words: Readonly<Record<string, Machine['hidepid']>> = {
    0: '0',
    off: '0',
    1: '1',
    noaccess: '1',
    2: '2',
    invisible: '2',
    4: '4',
    ptraceable: '4',
  };
  return words[mode] ?? 'unknown';
}
