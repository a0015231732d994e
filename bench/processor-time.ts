import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from '../test/fixtures/postgres-server.ts';

const TICK_MS = 10;

/** The processor time of this process's children that have ended, with their own children. */
export function childrenMs(): number {
  const [, , children, childrenOfKernel] = timesOf('self');
  return (children + childrenOfKernel) * TICK_MS;
}

/** The processor time of a process and of its children that have ended. */
export function processMs(pid: number | undefined): number {
  return sum(timesOf(String(pid))) * TICK_MS;
}

/** The processor time of the server: its first process, and the connections that are open. */
export function serverMs({ folder }: PostgresServer): number {
  const [pid = ''] = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n', 1);
  const connections = readdirSync('/proc').filter((name) => /^\d+$/u.test(name) && fieldsOf(name)[1] === pid);
  return processMs(Number(pid)) + sum(connections.map((name) => processMs(Number(name))));
}

/** Counts the processor time of everything that this process starts, also in sandboxes. */
export interface Meter {
  /** Without the time of this process itself. */
  readonly milliseconds: () => number;
  readonly dispose: () => void;
}

/** Puts this process and what it will start into a separate cgroup. Undefined if that is not allowed here. */
export function createMeter(): Meter | undefined {
  const root = /^\S+ (\S+) cgroup2 /mu.exec(readFileSync('/proc/mounts', 'utf8'))?.[1];
  const parent = /^0::(.*)$/mu.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  if (root === undefined || parent === undefined) return undefined;
  const [before, folder] = [join(root, parent), join(root, parent, `deed-bench-${process.pid}`)];
  const move = (group: string): void => writeFileSync(join(group, 'cgroup.procs'), String(process.pid));
  try {
    mkdirSync(folder);
    move(folder);
  } catch {
    return undefined;
  }
  return {
    milliseconds: () => {
      const [, usage] = /^usage_usec (\d+)$/mu.exec(readFileSync(join(folder, 'cpu.stat'), 'utf8')) ?? [];
      const { user, system } = process.cpuUsage();
      return (Number(usage) - user - system) / 1000;
    },
    dispose: () => {
      move(before);
      rmdirSync(folder);
    },
  };
}

function timesOf(pid: string): [number, number, number, number] {
  return fieldsOf(pid).slice(11, 15).map(Number) as [number, number, number, number];
}

/** The fields of `/proc/<pid>/stat` after the name, which may contain spaces. */
function fieldsOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
