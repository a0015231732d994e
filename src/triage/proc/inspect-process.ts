import type { DeepFacts, OpenWrite, UseFacts } from '../process-snapshot.ts';
import { parseCgroup } from './cgroup.ts';
import { findDesktopVariables, parseEnviron } from './environ.ts';
import { parseFdLink, type Descriptor } from './fd-link.ts';
import { parseFdinfo } from './fdinfo.ts';
import { parseIo } from './io.ts';
import type { ProcReader } from './proc-reader.ts';
import { parseStatus } from './status.ts';

/** The maximum number of descriptors to read; a server with more connections is not idle anyway. */
const MAX_DESCRIPTORS = 1024;
const ENVIRON_BYTES = 256 * 1024;
const DELETED = ' (deleted)';

/** Counters of a suspect before the window. */
export interface FirstCounters {
  readonly contextSwitches: number | null;
  readonly ioBytes: number | null;
  readonly offsets: ReadonlyMap<number, number>;
}

/** The facts from the folder of one process; facts from other processes and tables (peers, connections) are joined later. */
export interface Inspection extends Omit<
  DeepFacts,
  'stdio' | 'openFiles' | 'listeningPorts' | 'connections' | 'served' | 'runId' | 'use'
> {
  readonly pid: number;
  readonly uid: number | null;
  readonly descriptorCount: number;
  readonly descriptors: ReadonlyMap<number, Descriptor>;
  /** Standard streams that are pipes without a reader. */
  readonly unread: ReadonlySet<number>;
  readonly own: Pick<
    UseFacts,
    'devices' | 'desktop' | 'tracer' | 'ignoresHangup' | 'watchesFiles' | 'readsInput'
  >;
}

export function readFirstCounters(reader: ProcReader, pid: number): FirstCounters {
  const { descriptors } = readDescriptors(reader, pid);
  const offsets = new Map<number, number>();
  for (const [fd, { kind }] of descriptors) {
    if (kind !== 'file') continue;
    const info = parseFdinfo(reader.head(`${pid}/fdinfo/${fd}`) ?? '');
    if (info !== undefined) offsets.set(fd, info.offset);
  }
  return { ...readCounters(reader, pid), offsets };
}

export function inspectProcess(
  reader: ProcReader,
  pid: number,
  first: FirstCounters | undefined,
  isLocal: (mountId: number) => boolean,
): Inspection {
  const { descriptors, readable, count } = readDescriptors(reader, pid);
  const counters = readCounters(reader, pid);
  const exe = splitDeleted(reader.link(`${pid}/exe`));
  const cwd = splitDeleted(reader.link(`${pid}/cwd`));
  const cgroup = parseCgroup(reader.head(`${pid}/cgroup`) ?? '');
  const environ = reader.whole(`${pid}/environ`, ENVIRON_BYTES) ?? Buffer.alloc(0);
  return {
    pid,
    uid: counters.uid,
    exe: exe.path,
    exeDeleted: exe.deleted,
    cwd: cwd.path,
    cwdDeleted: cwd.deleted,
    cgroup: cgroup.path,
    container: cgroup.container,
    contextSwitchesDelta: difference(counters.contextSwitches, first?.contextSwitches),
    ioBytesDelta: difference(counters.ioBytes, first?.ioBytes),
    descriptorsReadable: readable,
    descriptorCount: count,
    descriptors,
    unread: findUnread(reader, pid, descriptors),
    ...readWrites(reader, pid, descriptors, first, isLocal),
    environment: parseEnviron(environ),
    own: {
      devices: [...descriptors.values()].flatMap((found) => (found.kind === 'device' ? found.path : [])),
      watchesFiles: [...descriptors.values()].some(({ kind }) => kind === 'inotify'),
      readsInput: readsInput(reader, pid, descriptors),
      desktop: findDesktopVariables(environ),
      tracer: counters.tracer,
      ignoresHangup: counters.ignoresHangup || hasInputOfNohup(reader, pid, descriptors),
    },
  };
}

function readDescriptors(reader: ProcReader, pid: number) {
  const names = reader.list(`${pid}/fd`);
  const descriptors = new Map<number, Descriptor>();
  for (const name of names?.slice(0, MAX_DESCRIPTORS) ?? []) {
    const target = reader.link(`${pid}/fd/${name}`);
    if (target !== undefined) descriptors.set(Number(name), parseFdLink(target));
  }
  // The folder can be listed even if its links are not readable.
  const readable = names !== undefined && (names.length === 0 || descriptors.size > 0);
  return { descriptors, readable, count: names?.length ?? 0 };
}

function findUnread(
  reader: ProcReader,
  pid: number,
  descriptors: ReadonlyMap<number, Descriptor>,
): ReadonlySet<number> {
  return new Set(
    [1, 2].filter(
      (fd) => descriptors.get(fd)?.kind === 'pipe' && reader.hasReader(`${pid}/fd/${fd}`) === false,
    ),
  );
}

/** nohup replaces a terminal by an input that cannot be read; that stays visible in programs that reset ignored signals, such as Node. */
function hasInputOfNohup(
  reader: ProcReader,
  pid: number,
  descriptors: ReadonlyMap<number, Descriptor>,
): boolean {
  if (descriptors.get(0)?.kind !== 'null') return false;
  return parseFdinfo(reader.head(`${pid}/fdinfo/0`) ?? '')?.reads === false;
}

/** Node makes its input nonblocking when the program reads it, and it stays so after the end of the input. */
function readsInput(reader: ProcReader, pid: number, descriptors: ReadonlyMap<number, Descriptor>): boolean {
  const kind = descriptors.get(0)?.kind;
  if (kind !== 'pipe' && kind !== 'socket') return false;
  return parseFdinfo(reader.head(`${pid}/fdinfo/0`) ?? '')?.nonblocking ?? false;
}

function readCounters(reader: ProcReader, pid: number) {
  return {
    ...parseStatus(reader.head(`${pid}/status`) ?? ''),
    ioBytes: parseIo(reader.head(`${pid}/io`) ?? ''),
  };
}

function readWrites(
  reader: ProcReader,
  pid: number,
  descriptors: ReadonlyMap<number, Descriptor>,
  first: FirstCounters | undefined,
  isLocal: (mountId: number) => boolean,
): { writes: OpenWrite[]; locks: number } {
  const writes: OpenWrite[] = [];
  let locks = 0;
  for (const [fd, descriptor] of descriptors) {
    if (descriptor.kind !== 'file') continue;
    const info = parseFdinfo(reader.head(`${pid}/fdinfo/${fd}`) ?? '');
    if (info === undefined) continue;
    locks += info.locks;
    if (!info.writes) continue;
    const { path, deleted } = descriptor;
    // A file that was opened during the window counts as written.
    const moved = first === undefined ? null : first.offsets.get(fd) !== info.offset;
    // Standard streams are logs that other processes write to as well; only other files show when this process last wrote.
    const changedAtMs = isLocal(info.mountId) ? reader.modifiedAtMs(`${pid}/fd/${fd}`) : undefined;
    const writtenAtMs = fd > 2 && !deleted ? changedAtMs : undefined;
    writes.push({
      fd,
      path,
      offset: info.offset,
      moved,
      deleted,
      ...(writtenAtMs !== undefined && { writtenAtMs }),
      changedAtMs: changedAtMs ?? null,
    });
  }
  return { writes, locks };
}

function splitDeleted(target: string | undefined): { path: string | null; deleted: boolean } {
  if (target === undefined) return { path: null, deleted: false };
  const deleted = target.endsWith(DELETED);
  return { path: deleted ? target.slice(0, -DELETED.length) : target, deleted };
}

function difference(after: number | null, before: number | null | undefined): number | null {
  return after === null || before === null || before === undefined ? null : Math.max(0, after - before);
}
