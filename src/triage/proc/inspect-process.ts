import type { DeepFacts, OpenWrite } from '../process-snapshot.ts';
import { parseCgroup } from './cgroup.ts';
import { parseEnviron } from './environ.ts';
import { parseFdLink, type Descriptor } from './fd-link.ts';
import { parseFdinfo } from './fdinfo.ts';
import { parseIo } from './io.ts';
import type { ProcReader } from './proc-reader.ts';
import { parseStatus } from './status.ts';

/** Descriptors looked at one by one; a server with fifty thousand connections is not idle anyway. */
const MAX_DESCRIPTORS = 1024;
const ENVIRON_BYTES = 256 * 1024;
const DELETED = ' (deleted)';

/** Counters of a suspect before the window. */
export interface FirstLook {
  readonly contextSwitches: number | null;
  readonly ioBytes: number | null;
  readonly offsets: ReadonlyMap<number, number>;
}

/** Everything one process's own folder tells; what others know of it (peers, connections) is joined later. */
export interface Inspection extends Omit<
  DeepFacts,
  'stdio' | 'openFiles' | 'listeningPorts' | 'connections' | 'served' | 'runId'
> {
  readonly pid: number;
  readonly uid: number | null;
  readonly descriptorCount: number;
  readonly descriptors: ReadonlyMap<number, Descriptor>;
  /** Standard streams that are pipes nobody reads any more. */
  readonly unread: ReadonlySet<number>;
}

export function lookFirst(reader: ProcReader, pid: number): FirstLook {
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
  first: FirstLook | undefined,
  isLocal: (mountId: number) => boolean,
): Inspection {
  const { descriptors, readable, count } = readDescriptors(reader, pid);
  const counters = readCounters(reader, pid);
  const exe = splitDeleted(reader.link(`${pid}/exe`));
  const cwd = splitDeleted(reader.link(`${pid}/cwd`));
  const cgroup = parseCgroup(reader.head(`${pid}/cgroup`) ?? '');
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
    environment: parseEnviron(reader.whole(`${pid}/environ`, ENVIRON_BYTES) ?? Buffer.alloc(0)),
  };
}

function readDescriptors(reader: ProcReader, pid: number) {
  const names = reader.list(`${pid}/fd`);
  const descriptors = new Map<number, Descriptor>();
  for (const name of names?.slice(0, MAX_DESCRIPTORS) ?? []) {
    const target = reader.link(`${pid}/fd/${name}`);
    if (target !== undefined) descriptors.set(Number(name), parseFdLink(target));
  }
  // The folder may be listed although its links may not be read.
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
  first: FirstLook | undefined,
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
    // A file opened during the window counts as written: it was not there before.
    const moved = first === undefined ? null : first.offsets.get(fd) !== info.offset;
    // Streams are logs, which grow by everybody's hand; a file of its own tells when it last worked.
    const own = fd > 2 && !deleted && isLocal(info.mountId);
    const writtenAtMs = own ? reader.modifiedAtMs(`${pid}/fd/${fd}`) : undefined;
    writes.push({
      fd,
      path,
      offset: info.offset,
      moved,
      deleted,
      ...(writtenAtMs !== undefined && { writtenAtMs }),
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
