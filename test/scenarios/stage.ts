import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomHex } from '../../src/base/ids.ts';
import { identifyProcess, type ProcessIdentity } from '../../src/system/process-identity.ts';
import { signalProcesses } from '../../src/system/process-tree.ts';
import { renderPart, SHARED_FILES, type Part } from './part.ts';

/** What stands at the other end of a play's standard streams. */
export type Streams = 'held' | 'severed' | 'null';

export interface PlayOptions {
  readonly streams?: Streams;
  readonly terminal?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

/**
 * Where real processes are put into known situations. A play is a shell script; each process in it writes its pid under its label.
 * Everything started carries a mark in its environment, by which it is found again and ended, one by one.
 */
export interface Stage {
  readonly folder: string;
  /** Renders one process for a play. */
  readonly part: (label: string, part: Part) => string;
  readonly play: (script: string, options?: PlayOptions) => Promise<ChildProcess>;
  /** Waits until a label has its process, and tells its pid. */
  readonly pidOf: (label: string) => Promise<number>;
  /** Waits until it has ended and is not collected. */
  readonly endOf: (label: string) => Promise<number>;
  /** Keeps a connection open to a port that a process wrote under a label. */
  readonly connectTo: (label: string) => Promise<void>;
  /** Ends everything that was started. */
  readonly close: () => Promise<void>;
}

const WAIT_MS = 60_000;

/** Whoever runs this may have sockets and logs open that every child inherits; they are no part of the play. */
const CLOSE_INHERITED = `for one in /proc/$$/fd/*; do one=\${one##*/}; if [ "$one" -gt 2 ] && [ "$one" -ne 255 ]; then eval "exec $one>&-"; fi; done 2>/dev/null
`;

export function openStage(): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'deed-stage-'));
  const mark = `DEED_STAGE=${randomHex(8)}`;
  const sockets: Socket[] = [];
  const children: ChildProcess[] = [];
  let plays = 0;

  const play = async (script: string, options: PlayOptions = {}): Promise<ChildProcess> => {
    const file = join(folder, `play-${(plays += 1)}.sh`);
    writeFileSync(file, `${CLOSE_INHERITED}${script}\n`);
    const command =
      options.terminal === true ? ['script', '-qec', `bash ${file}`, '/dev/null'] : ['bash', file];
    const child = spawn(command[0] ?? '', command.slice(1), {
      cwd: folder,
      // In a session of its own, so that the session ends with the play.
      detached: true,
      stdio: options.streams === 'null' ? 'ignore' : 'pipe',
      env: { ...plainEnvironment(), ...options.env, DEED_STAGE: mark.slice(11) },
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    });
    children.push(child);
    child.on('error', () => {});
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => {});
    child.stdout?.resume();
    child.stderr?.resume();
    if (options.streams === 'severed' || options.streams === 'null') {
      // Such a play starts others and ends. Its streams are let go of only after it has handed them on.
      await once(child, 'exit');
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    }
    return child;
  };

  const beginsAs = new Map<string, string>();
  const waitFor = async (label: string, holds: (pid: number) => boolean): Promise<number> => {
    const file = join(folder, label);
    for (const until = performance.now() + WAIT_MS; performance.now() < until; await sleep(20)) {
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      if (text.endsWith('\n') && holds(Number(text))) return Number(text);
    }
    throw new Error(`the process "${label}" did not come to where it should be`);
  };
  const pidOf = (label: string): Promise<number> =>
    waitFor(label, (pid) => hasBegun(pid, beginsAs.get(label)));

  for (const [name, text] of Object.entries(SHARED_FILES)) writeFileSync(join(folder, name), text);
  chmodSync(folder, 0o777);
  return {
    folder,
    part: (label, spec) => {
      beginsAs.set(label, spec.name);
      return renderPart(folder, label, spec);
    },
    play,
    pidOf,
    endOf: (label) => waitFor(label, (pid) => identifyProcess(pid) === undefined),
    connectTo: async (label) => {
      const socket = connect(await pidOf(label), '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      await new Promise((resolve) => socket.once('connect', resolve));
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      for (const child of children) {
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      }
      for (let marked = findMarked(mark); marked.length > 0; marked = findMarked(mark)) {
        signalProcesses(marked, 'SIGKILL');
        await sleep(20);
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whoever runs this may be an agent, a run or a supervisor's child, whose marks every child inherits; they are no part of the play either. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, USER, LANG, TMPDIR } = process.env;
  return { PATH, HOME, USER, LANG, TMPDIR };
}

/** A process writes its pid before it becomes what it plays; it has begun when it goes by that name. */
function hasBegun(pid: number, name: string | undefined): boolean {
  if (name === undefined) return true;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${name}\0`);
  } catch {
    return false;
  }
}

/** Finds what carries a mark. What has ended has no environment any more. */
function findMarked(mark: string): ProcessIdentity[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0');
        return environment.includes(mark) ? (identifyProcess(Number(name)) ?? []) : [];
      } catch {
        return [];
      }
    });
}
