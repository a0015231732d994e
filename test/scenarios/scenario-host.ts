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
import { renderProcess, SHARED_FILES, type ProcessSpec } from './process-spec.ts';

/** The other end of the standard streams of a script. */
export type Streams = 'held' | 'severed' | 'null';

export interface RunOptions {
  readonly streams?: Streams;
  readonly terminal?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

/**
 * Starts real processes for scenarios. A script starts processes, each of which writes its pid to the file of its label. All have a
 * variable in their environment by which they are found and killed.
 */
export interface ScenarioHost {
  readonly folder: string;
  /** Renders the shell command that starts one process in the background. */
  readonly background: (label: string, background: ProcessSpec) => string;
  readonly run: (script: string, options?: RunOptions) => Promise<ChildProcess>;
  /** Waits until the process of a label runs, and returns its pid. */
  readonly pidOf: (label: string) => Promise<number>;
  /** Waits until the process of a label is a zombie, and returns its pid. */
  readonly endOf: (label: string) => Promise<number>;
  /** Keeps a connection open to a port that a process wrote under a label. */
  readonly connectTo: (label: string) => Promise<void>;
  /** Kills all processes. */
  readonly close: () => Promise<void>;
}

/** The start of the name of the folder that the processes run in. */
export const HOST_PREFIX = 'deed-host-';
const WAIT_MS = 60_000;

/** Closes inherited descriptors, such as sockets and logs of the test runner. */
const CLOSE_INHERITED = `for one in /proc/$$/fd/*; do one=\${one##*/}; if [ "$one" -gt 2 ] && [ "$one" -ne 255 ]; then eval "exec $one>&-"; fi; done 2>/dev/null
`;

export function openScenarioHost(): ScenarioHost {
  const folder = mkdtempSync(join(tmpdir(), HOST_PREFIX));
  const mark = `DEED_SCENARIO=${randomHex(8)}`;
  const sockets: Socket[] = [];
  const children: ChildProcess[] = [];
  let runs = 0;

  const run = async (script: string, options: RunOptions = {}): Promise<ChildProcess> => {
    const file = join(folder, `run-${(runs += 1)}.sh`);
    writeFileSync(file, `${CLOSE_INHERITED}${script}\n`);
    const command =
      options.terminal === true ? ['script', '-qec', `bash ${file}`, '/dev/null'] : ['bash', file];
    const child = spawn(command[0] ?? '', command.slice(1), {
      cwd: folder,
      // In its own session, which ends with the script.
      detached: true,
      stdio: options.streams === 'null' ? 'ignore' : 'pipe',
      env: { ...plainEnvironment(), ...options.env, DEED_SCENARIO: mark.slice(14) },
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    });
    children.push(child);
    child.on('error', () => {});
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => {});
    child.stdout?.resume();
    child.stderr?.resume();
    if (options.streams === 'severed' || options.streams === 'null') {
      // Such a script starts processes and exits. Its streams are closed after the processes have inherited them.
      await once(child, 'exit');
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    }
    return child;
  };

  const expectedNames = new Map<string, string>();
  const waitFor = async (label: string, matches: (pid: number) => boolean): Promise<number> => {
    const file = join(folder, label);
    for (const until = performance.now() + WAIT_MS; performance.now() < until; await sleep(20)) {
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      if (text.endsWith('\n') && matches(Number(text))) return Number(text);
    }
    throw new Error(`the process "${label}" did not reach the expected state`);
  };
  const pidOf = (label: string): Promise<number> =>
    waitFor(label, (pid) => hasStarted(pid, expectedNames.get(label)));

  for (const [name, text] of Object.entries(SHARED_FILES)) writeFileSync(join(folder, name), text);
  chmodSync(folder, 0o777);
  return {
    folder,
    background: (label, spec) => {
      expectedNames.set(label, spec.name);
      return renderProcess(folder, label, spec);
    },
    run,
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

/** The environment without variables of agents, runs and supervisors that the test runner may have. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, USER, LANG, TMPDIR } = process.env;
  return { PATH, HOME, USER, LANG, TMPDIR };
}

/** A process writes its pid before it executes its program; it has started when it has its final name. */
function hasStarted(pid: number, name: string | undefined): boolean {
  if (name === undefined) return true;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${name}\0`);
  } catch {
    return false;
  }
}

/** Finds the processes with a variable in their environment. Zombies have no environment. */
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
