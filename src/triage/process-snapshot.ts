/**
 * What was seen, as plain data: everything that is judged later comes from here, so that a judgement can be made again, on another
 * machine and another day, and gives the same numbers.
 *
 * - window: the time between the two samples; deltas are over it.
 * - cheap facts: what one `stat` file tells; known of every process.
 * - deep facts: files, sockets, folders and command line; known of suspects, of those they hang on, and of those asked for.
 */
export interface Snapshot {
  readonly format: 'deed.triage.snapshot/1';
  readonly host: string;
  /** Start ticks mean something only together with the boot they count from. */
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
  /** What was known then of the runs whose marks processes carry, by id. */
  readonly runs?: Readonly<Record<string, RunFacts>>;
  /** The same of sessions of agents. */
  readonly sessions?: Readonly<Record<string, SessionFacts>>;
}

/** A run as those know it who keep runs. */
export interface RunFacts {
  readonly item: string;
  readonly agent: string;
  /** Whether the process that drives it lives. */
  readonly alive: boolean;
  /** How it ended, or what it does. */
  readonly status: string;
  /** ISO 8601; null while it goes on, or when nobody was left to note it down. */
  readonly endedAt: string | null;
}

export interface SessionFacts {
  /** When its agent last wrote it down; ISO 8601. */
  readonly lastSeenAt: string;
}

/** Who looked: never to be touched itself, and the measure of what "another user" means. */
export interface Observer {
  readonly pid: number;
  readonly uid: number;
  readonly session: number;
  /** Parent first, up to the root. */
  readonly ancestors: readonly number[];
  /** A unit or container that the observer is in itself says nothing about the others in it. */
  readonly cgroup: string;
  readonly container: string | null;
  /** The pid namespace in which these pids have their meaning. */
  readonly pidSpace?: string;
}

export interface Visibility {
  /** False when processes or facts of suspects were hidden, by `hidepid` or by other owners. */
  readonly complete: boolean;
  /** How /proc was mounted, as far as the mount table tells. */
  readonly hidepid: '0' | '1' | '2' | '4' | 'unknown';
  readonly unreadableProcesses: number;
  /** Ended between being listed and being read. */
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
  /** The kernel's name for it: at most 15 bytes, and whatever the process likes. */
  readonly comm: string;
  readonly startTicks: number;
  readonly cpuTicks: number;
  /** Over the window; null when it was not there at the first sample. */
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
  /** The path that names a unit or a container best; empty for the root. */
  readonly cgroup: string;
  /** The container's id as the cgroup names it. */
  readonly container: string | null;
  /** Times it went to sleep of its own accord over the window. */
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
  /** Established connections, standard streams and those within its own family of processes not counted. */
  readonly connections: number;
  /** Those of them that came in on a port it listens on: somebody uses it. */
  readonly served: number;
  /** `DEED_RUN_ID` of its environment. */
  readonly runId: string | null;
  /** Other marks that supervisors leave in the environment, by name. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface StandardStream {
  readonly kind: 'terminal' | 'pipe' | 'socket' | 'null' | 'file' | 'closed' | 'other' | 'unknown';
  /** Whether somebody is at the other end; `none` where there is no other end. */
  readonly peer: 'alive' | 'gone' | 'none' | 'unknown';
  /** Who is there, as far as it could be found out; a peer of the same fate is no lifeline. */
  readonly peers: readonly number[];
}

/** A regular file that is open for writing. */
export interface OpenWrite {
  readonly fd: number;
  readonly path: string;
  readonly offset: number;
  /** Whether the offset changed over the window; null when it was seen once only. */
  readonly moved: boolean | null;
  readonly deleted: boolean;
  /** When it was last written to, by whomever, in epoch milliseconds; known of files beside the streams, on filesystems of this machine. */
  readonly writtenAtMs?: number;
}

/** `start_id` as the contract prints it: start as unix seconds, a dot, the pid. */
export function startId(
  snapshot: Pick<Snapshot, 'bootTimeSeconds' | 'ticksPerSecond'>,
  process: Pick<ProcessFacts, 'pid' | 'startTicks'>,
): string {
  return `${Math.floor(snapshot.bootTimeSeconds + process.startTicks / snapshot.ticksPerSecond)}.${process.pid}`;
}
