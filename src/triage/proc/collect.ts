import { type ReaperNames } from '../features/process-index.ts';
import { isSuspect } from '../features/suspect.ts';
import { isProtectedName } from '../parameters/protected-names.ts';
import type { ProcessFacts, ProcessSnapshot } from '../process-snapshot.ts';
import { parseCgroup } from './cgroup.ts';
import { parseCmdline } from './cmdline.ts';
import { inspectProcess, readFirstCounters, type FirstCounters, type Inspection } from './inspect-process.ts';
import { joinPeers } from './join-peers.ts';
import { createIsLocal } from './local-mounts.ts';
import { readMachine } from './machine.ts';
import { createNetTables } from './net-tables.ts';
import { findSiblings } from './find-siblings.ts';
import { findPipeHolders } from './pipe-holders.ts';
import { createProcReader, type ProcReader } from './proc-reader.ts';
import { sampleProcesses, type Sample } from './sample-processes.ts';

/** A command line can have megabytes; only a fraction of this is stored. */
const CMDLINE_BYTES = 16 * 1024;

export interface CollectOptions {
  readonly host: string;
  readonly observer: { readonly pid: number; readonly uid: number };
  /** Contract: resolves after at least this many milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly now: () => number;
  readonly windowMs: number;
  readonly names: ReaperNames;
  /** The account whose processes get deep facts; by default the observer's. */
  readonly uid?: number;
  /** Processes that get deep facts even if they are not suspects. */
  readonly deepPids?: readonly number[];
  /** Whether a parent needs only one instance of the command, so that a newer instance supersedes an older one. */
  readonly isSingle?: (command: readonly string[], comm: string) => boolean;
}

/**
 * Takes a snapshot of the processes in a proc root: a sample of all, a window, a second sample, and deep facts of suspects. Processes
 * that exit meanwhile or are hidden are omitted and counted; they are not an error.
 */
export async function collect(procRoot: string, options: CollectOptions): Promise<ProcessSnapshot> {
  const reader = createProcReader(procRoot);
  const machine = readMachine(reader);
  const hidden = machine.hidepid !== '0' && machine.hidepid !== 'unknown';
  const requested = new Set(options.deepPids);
  const owner = options.uid ?? options.observer.uid;
  const needsDeepFacts = (sample: Sample, process: Sample['processes'][number], share: number): boolean =>
    requested.has(process.pid) ||
    (isSuspect(sample.index, process, share) &&
      !isProtectedName(process.comm, options.names.protected) &&
      reader.owner(String(process.pid)) === owner);

  const before = sampleProcesses(reader, options.names, hidden, options.observer.pid);
  const first = new Map<number, FirstCounters>();
  for (const process of before.processes) {
    // A process in state R may turn out to be busy; its I/O over the window needs a first reading.
    if (needsDeepFacts(before, process, process.state === 'R' ? 1 : 0))
      first.set(process.pid, readFirstCounters(reader, process.pid));
  }
  const startedAt = options.now();
  await options.sleep(options.windowMs);
  const windowMs = Math.max(1, options.now() - startedAt);

  const after = sampleProcesses(reader, options.names, hidden, options.observer.pid, before);
  const delta = (process: Sample['processes'][number]): number | null => {
    const known = before.index.get(process.pid);
    return known?.startTicks === process.startTicks ? process.cpuTicks - known.cpuTicks : null;
  };
  const ticks = (windowMs / 1000) * machine.ticksPerSecond;
  const inspections = new Map<number, Inspection>();
  const isLocal = createIsLocal(reader);
  for (const process of after.processes) {
    const change = delta(process);
    if (needsDeepFacts(after, process, (change ?? 0) / ticks)) {
      // Without a CPU delta, the first reading was of another process with this pid.
      const counters = change === null ? undefined : first.get(process.pid);
      inspections.set(process.pid, inspectProcess(reader, process.pid, counters, isLocal));
    }
  }
  const deep = joinAll(reader, after, inspections, requested, createWasLost(before, after));
  const commands = readCommands(reader, after, inspections, options.isSingle);

  const processes = after.processes.map((process): ProcessFacts => {
    const { rssPages, ...facts } = process;
    return {
      ...facts,
      comm: toText(facts.comm),
      cpuTicksDelta: delta(process),
      rssBytes: rssPages * machine.pageBytes,
      uid: inspections.get(process.pid)?.uid ?? reader.owner(String(process.pid)) ?? null,
      command: commands.get(process.pid) ?? null,
      deep: deep.get(process.pid) ?? null,
    };
  });
  return {
    format: 'deed.triage.snapshot/1',
    host: options.host,
    bootId: machine.bootId,
    bootTimeSeconds: machine.bootTimeSeconds,
    ticksPerSecond: machine.ticksPerSecond,
    takenAtMs: options.now(),
    windowMs,
    cpuCount: machine.cpuCount,
    memory: machine.memory,
    observer: describeObserver(reader, after, options.observer),
    visibility: describeVisibility(processes, machine.hidepid, hidden, before.vanished + after.vanished),
    processes,
  };
}

function describeVisibility(
  processes: readonly ProcessFacts[],
  hidepid: ProcessSnapshot['visibility']['hidepid'],
  hidden: boolean,
  vanished: number,
): ProcessSnapshot['visibility'] {
  const unreadable = processes.filter(
    ({ deep, state }) => deep?.descriptorsReadable === false && state !== 'Z',
  ).length;
  const notes = [
    ...(hidden ? [`/proc is mounted with hidepid=${hidepid}: processes of other users are hidden`] : []),
    ...(unreadable > 0 ? [`the files of ${unreadable} suspects are not readable`] : []),
  ];
  return {
    complete: !hidden && unreadable === 0,
    hidepid,
    unreadableProcesses: unreadable,
    vanished,
    notes,
  };
}

/** Returns whether a process was in the first sample too, and orphaned. */
function createWasLost(before: Sample, after: Sample): (pid: number) => boolean {
  return (pid) => {
    const known = before.index.get(pid);
    if (known === undefined || known.startTicks !== after.index.get(pid)?.startTicks) return false;
    return before.index.topOf(known) !== undefined && (known.tty === 0 || !before.index.leaderAlive(known));
  };
}

function joinAll(
  reader: ProcReader,
  { processes, index }: Sample,
  inspections: ReadonlyMap<number, Inspection>,
  requested: ReadonlySet<number>,
  lostBefore: (pid: number) => boolean,
) {
  const others = processes
    .filter(({ pid, kernel }) => !kernel && !inspections.has(pid))
    .map(({ pid }) => pid);
  const socketHolders = new Map<number, number[]>();
  for (const { pid, descriptors } of inspections.values()) {
    for (const descriptor of descriptors.values()) {
      if (descriptor.kind !== 'socket') continue;
      const known = socketHolders.get(descriptor.inode);
      if (known === undefined) socketHolders.set(descriptor.inode, [pid]);
      else if (!known.includes(pid)) known.push(pid);
    }
  }
  // The pipes of a process that is not orphaned do not matter.
  const needsPipes = (pid: number): boolean => {
    const process = index.get(pid);
    return requested.has(pid) || (process !== undefined && index.topOf(process) !== undefined);
  };
  const familyOf = (pid: number): number | undefined => {
    const process = index.get(pid);
    return process === undefined ? undefined : (index.topOf(process)?.pid ?? process.session);
  };
  const context = {
    inspections,
    pipes: findPipeHolders(reader, inspections, others, needsPipes),
    socketHolders,
    lostBefore,
    netTables: createNetTables(reader),
    sameFamily: (left: number, right: number) => left === right || familyOf(left) === familyOf(right),
  };
  return new Map(
    [...inspections.values()].map((inspection) => [inspection.pid, joinPeers(inspection, context)]),
  );
}

/** Reads the command lines of inspected processes, their ancestors and their descendants, and of possibly superseded instances. */
function readCommands(
  reader: ProcReader,
  { index, processes }: Sample,
  inspections: ReadonlyMap<number, Inspection>,
  isSingle: CollectOptions['isSingle'],
) {
  const commands = new Map<number, readonly string[]>();
  const read = (pid: number): void => {
    if (commands.has(pid)) return;
    const bytes = reader.whole(`${pid}/cmdline`, CMDLINE_BYTES);
    if (bytes !== undefined) commands.set(pid, parseCmdline(bytes));
  };
  for (const pid of inspections.keys()) {
    read(pid);
    for (const child of index.descendantsOf(pid)) read(child.pid);
    let parent = index.get(index.get(pid)?.ppid ?? 0);
    for (let depth = 0; parent !== undefined && depth < 64; depth += 1) {
      if (commands.has(parent.pid)) break;
      read(parent.pid);
      parent = index.get(parent.ppid);
    }
  }
  if (isSingle === undefined) return commands;
  const siblings = findSiblings(processes, (pid) => {
    read(pid);
    const command = commands.get(pid);
    return command !== undefined && isSingle(command, index.get(pid)?.comm ?? '');
  });
  for (const pid of siblings) read(pid);
  return commands;
}

function describeObserver(
  reader: ProcReader,
  { index }: Sample,
  { pid, uid }: CollectOptions['observer'],
): ProcessSnapshot['observer'] {
  const { path, container } = parseCgroup(reader.head(`${pid}/cgroup`) ?? '');
  const ancestors: number[] = [];
  let parent = index.get(pid)?.ppid ?? 0;
  while (parent > 0 && !ancestors.includes(parent)) {
    ancestors.push(parent);
    parent = index.get(parent)?.ppid ?? 0;
  }
  const pidSpace = /\d+/u.exec(reader.link(`${pid}/ns/pid`) ?? '')?.[0];
  return {
    pid,
    uid,
    session: index.get(pid)?.session ?? 0,
    ancestors,
    cgroup: path,
    container,
    ...(pidSpace !== undefined && { pidSpace }),
  };
}

/** Names were read as Latin-1; decodes them as UTF-8. */
function toText(latin: string): string {
  return /^[\0-\x7f]*$/u.test(latin) ? latin : Buffer.from(latin, 'latin1').toString('utf8');
}
