/**
 * The observed state of the machine, as plain data. It is the only input of an assessment, so that an assessment can be repeated
 * later and on another machine with the same numbers.
 *
 * - window: the time between the two samples; deltas are over it.
 * - cheap facts: the contents of `/proc/<pid>/stat`; read for every process.
 * - deep facts: files, sockets, folders and command line; read for suspects, for their orphaned ancestors, and for requested processes.
 */
export interface ProcessSnapshot {
  readonly format: 'deed.triage.snapshot/1';
  readonly host: string;
  /** Start ticks count from the boot, so they are comparable only within one boot. */
  readonly bootId: string;
  readonly bootTimeSeconds: number;
  readonly ticksPerSecond: number;
  /** When the second sample was taken, in epoch milliseconds. */
  readonly takenAtMs: number;
  readonly windowMs: number;
  readonly cpuCount: number;
  readonly memory: { readonly totalBytes: number; readonly availableBytes: number };
  readonly observer: Observer;
  readonly visibility: Visibility;
  readonly processes: readonly ProcessFacts[];
  /** The runs whose ids were found in process environments, by id, as they were then. */
  readonly runs?: Readonly<Record<string, RunFacts>>;
  /** The agent sessions whose ids were found in process environments. */
  readonly sessions?: Readonly<Record<string, AgentSessionFacts>>;
}

/** A run as its receipt or journal describes it. */
export interface RunFacts {
  readonly item: string;
  readonly agent: string;
  /** Whether the deed process that executes the run is running. */
  readonly alive: boolean;
  /** The result of a finished run, or the current phase. */
  readonly status: string;
  /** ISO 8601; null for a running run, or when the time was never recorded. */
  readonly endedAt: string | null;
}

export interface AgentSessionFacts {
  /** When the agent last saved the session; ISO 8601. */
  readonly lastSeenAt: string;
}

/** The process that took the snapshot. It is never acted on, and its uid decides what "another user" means. */
export interface Observer {
  readonly pid: number;
  readonly uid: number;
  readonly session: number;
  /** Parent first, up to the root. */
  readonly ancestors: readonly number[];
  /** Membership of the observer's own unit or container does not count as supervision. */
  readonly cgroup: string;
  readonly container: string | null;
  /** The pid namespace of these pids. */
  readonly pidSpace?: string;
}

export interface Visibility {
  /** False when processes, or facts about suspects, were hidden by `hidepid` or file permissions. */
  readonly complete: boolean;
  /** The `hidepid` option of /proc in the mount table. */
  readonly hidepid: '0' | '1' | '2' | '4' | 'unknown';
  readonly unreadableProcesses: number;
  /** Processes that exited between being listed and being read. */
  readonly vanished: number;
  readonly notes: readonly string[];
}

export interface ProcessFacts {
  readonly pid: number;
  readonly ppid: number;
  readonly group: number;
  readonly session: number;
  /** Device number of the controlling terminal; 0 for none. */
  readonly tty: number;
  readonly state: string;
  /** The name in the kernel: at most 15 bytes, which the process can set to any value. */
  readonly comm: string;
  readonly startTicks: number;
  readonly cpuTicks: number;
  /** Over the window; null when the process was not in the first sample. */
  readonly cpuTicksDelta: number | null;
  readonly rssBytes: number;
  readonly threads: number;
  readonly kernel: boolean;
  /** Owner; null when nothing could be read. */
  readonly uid: number | null;
  /** Arguments, secrets masked, at most a few kilobytes; null when they were not read. */
  readonly command: readonly string[] | null;
  readonly deep: DeepFacts | null;
}

export interface DeepFacts {
  readonly exe: string | null;
  readonly exeDeleted: boolean;
  readonly cwd: string | null;
  readonly cwdDeleted: boolean;
  /** The most specific path that names a unit or container; empty for the root. */
  readonly cgroup: string;
  /** The container id from the cgroup path. */
  readonly container: string | null;
  /** Voluntary context switches over the window. */
  readonly contextSwitchesDelta: number | null;
  readonly ioBytesDelta: number | null;
  /** False when the descriptors could not be listed: another owner, or not dumpable. */
  readonly descriptorsReadable: boolean;
  readonly stdio: readonly [StandardStream, StandardStream, StandardStream];
  readonly openFiles: number;
  readonly writes: readonly OpenWrite[];
  /** File locks that it holds. */
  readonly locks: number;
  readonly listeningPorts: readonly number[];
  /** Established connections, without standard streams and without connections within its own process tree. */
  readonly connections: number;
  /** The connections that the process accepted on a port it listens on: it has clients. */
  readonly served: number;
  /** `DEED_RUN_ID` of its environment. */
  readonly runId: string | null;
  /** Other environment variables that supervisors and agents set, by name. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absent in snapshots of earlier versions; then no automatic action is possible. */
  readonly use?: UseFacts;
}

/** Facts that show whether a process is in use by something outside its own process tree. */
export interface UseFacts {
  /** Whether it was orphaned in the first sample too. */
  readonly lostBefore: boolean;
  /** Established TCP and connected UDP connections to processes outside its tree. */
  readonly remoteConnections: number;
  /** Connected Unix sockets whose other end is outside its tree: displays, buses, audio and other services. */
  readonly localConnections: number;
  /** Sockets of a kind whose connections cannot be read: raw, packet, Bluetooth. */
  readonly unknownSockets: number;
  readonly listeners: readonly Listener[];
  /** Device files, except for terminals and those without a device behind them. */
  readonly devices: readonly string[];
  /** Variables of its environment that name a display, a session bus or an audio server. */
  readonly desktop: readonly string[];
  /** The pid of its debugger; 0 for none. */
  readonly tracer: number;
  /** Whether it ignores SIGHUP, as after `nohup`. */
  readonly ignoresHangup: boolean;
  /** Whether it has an inotify descriptor. Absent in snapshots of earlier versions. */
  readonly watchesFiles?: boolean;
  /** Whether its input is a nonblocking pipe or socket: the program reads it in an event loop. Absent in snapshots of earlier versions. */
  readonly readsInput?: boolean;
}

export interface Listener {
  /** A port, or the path of a Unix socket. */
  readonly address: string;
  /** Reachable only from this machine. */
  readonly local: boolean;
  /** Has connections outside its tree, established or just closed. */
  readonly busy: boolean;
}

export interface StandardStream {
  readonly kind: 'terminal' | 'pipe' | 'socket' | 'null' | 'file' | 'closed' | 'other' | 'unknown';
  /** Whether a process has the other end open; `none` for streams without another end. */
  readonly peer: 'alive' | 'gone' | 'none' | 'unknown';
  /** Known processes at the other end. A peer in the same orphaned tree does not count as an owner. */
  readonly peers: readonly number[];
}

/** A regular file that is open for writing. */
export interface OpenWrite {
  readonly fd: number;
  readonly path: string;
  readonly offset: number;
  /** Whether the offset changed over the window; null when it was read only once. */
  readonly moved: boolean | null;
  readonly deleted: boolean;
  /** When any process last wrote to it, in epoch milliseconds; known for files on local filesystems that are not standard streams. */
  readonly writtenAtMs?: number;
  /** Like `writtenAtMs`, but for every file, standard streams included; null when it is unknown. Absent in snapshots of earlier versions. */
  readonly changedAtMs?: number | null;
}

/** Returns the `start_id` of the contract: start time in Unix seconds, a dot, the pid. */
export function startId(
  snapshot: Pick<ProcessSnapshot, 'bootTimeSeconds' | 'ticksPerSecond'>,
  process: Pick<ProcessFacts, 'pid' | 'startTicks'>,
): string {
  return `${Math.floor(snapshot.bootTimeSeconds + process.startTicks / snapshot.ticksPerSecond)}.${process.pid}`;
}
