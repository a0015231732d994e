import type { LiveProcess } from '../actions/live-process.ts';
import type { CgroupMembership } from '../actions/throttle-tree.ts';
import { parseHidepid, type Machine } from './machine.ts';
import type { ProcReader } from './proc-reader.ts';
import { parseStat } from './stat.ts';
import { parseStatus } from './status.ts';

/** Reads the current state of processes. */
export interface LiveProcesses {
  readonly readProcess: (pid: number) => LiveProcess | undefined;
  readonly listParents: () => readonly { readonly pid: number; readonly ppid: number }[];
  readonly memoryBytes: (pid: number) => number | undefined;
  readonly cgroupsOf: (pid: number) => readonly CgroupMembership[];
  /** Its arguments; undefined when they are not readable. */
  readonly commandLine: (pid: number) => string | undefined;
  readonly availableBytes: () => number;
  readonly hidepid: () => Machine['hidepid'];
  /** The time since boot. */
  readonly uptimeMs: () => number;
  /** The id of the boot that ticks count from. */
  readonly bootId: () => string;
}

const DELETED = ' (deleted)';
const COMMAND_LINE_BYTES = 16 * 1024;

/** Opens the processes of a proc root. Nothing is cached, because the state must be current right before a signal. */
export function openLiveProcesses(reader: ProcReader): LiveProcesses {
  return {
    readProcess: (pid) => {
      const stat = parseStat(reader.head(`${pid}/stat`) ?? '');
      if (stat === undefined) return undefined;
      const exe = reader.link(`${pid}/exe`);
      return {
        pid,
        ppid: stat.ppid,
        session: stat.session,
        tty: stat.tty,
        state: stat.state,
        comm: stat.comm,
        startTicks: stat.startTicks,
        kernel: stat.kernel,
        uid: parseStatus(reader.head(`${pid}/status`) ?? '').uid,
        exe: exe?.endsWith(DELETED) ? exe.slice(0, -DELETED.length) : (exe ?? null),
      };
    },
    listParents: () =>
      (reader.list('') ?? []).flatMap((name) => {
        const stat = /^\d+$/u.test(name) ? parseStat(reader.head(`${name}/stat`) ?? '') : undefined;
        return stat === undefined ? [] : [{ pid: Number(name), ppid: stat.ppid }];
      }),
    memoryBytes: (pid) => {
      // Proportional set size: shared pages are divided among the processes that map them.
      const share = /^Pss:\s+(\d+) kB/mu.exec(reader.head(`${pid}/smaps_rollup`) ?? '')?.[1];
      if (share !== undefined) return Number(share) * 1024;
      const resident = /^VmRSS:\s+(\d+) kB/mu.exec(reader.head(`${pid}/status`) ?? '')?.[1];
      return resident === undefined ? undefined : Number(resident) * 1024;
    },
    cgroupsOf: (pid) =>
      (reader.head(`${pid}/cgroup`) ?? '').split('\n').flatMap((line): CgroupMembership[] => {
        const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/u.exec(line) ?? [];
        if (controllers === undefined || path === undefined) return [];
        return [{ controllers: controllers.split(',').filter((name) => name !== ''), path }];
      }),
    commandLine: (pid) => {
      const bytes = reader.whole(`${pid}/cmdline`, COMMAND_LINE_BYTES);
      return bytes?.toString('utf8').replaceAll('\0', ' ').trim();
    },
    hidepid: () => parseHidepid(reader.head('self/mounts') ?? ''),
    uptimeMs: () => Number.parseFloat(reader.head('uptime') ?? '0') * 1000,
    bootId: () => (reader.head('sys/kernel/random/boot_id') ?? '').trim(),
    availableBytes: () =>
      Number(/^MemAvailable:\s+(\d+) kB/mu.exec(reader.head('meminfo') ?? '')?.[1] ?? 0) * 1024,
  };
}
