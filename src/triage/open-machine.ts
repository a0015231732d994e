import { homedir, hostname, platform, setPriority } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../base/sleep.ts';
import { ownUid } from '../system/account.ts';
import { openLibc } from '../system/libc/libc.ts';
import { childEnvironment } from '../system/child-environment.ts';
import { monotonicMs } from '../system/monotonic-ms.ts';
import { ownPid } from '../system/own-pid.ts';
import { runCommand } from '../system/run-command.ts';
import type { TriageEnvironment } from './triage-environment.ts';

/** Variables that supervisor programs need to find their daemons, in addition to the variables of every child process. */
const SUPERVISOR_VARIABLES = ['DBUS_SESSION_BUS_ADDRESS', 'PM2_HOME', 'DOCKER_HOST', 'DOCKER_CONTEXT'];
const SUPERVISOR_TIMEOUT_MS = 60_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Creates the environment for the local machine; `changes` overrides members. */
export function openMachine(
  changes: Partial<TriageEnvironment> & { readonly env?: Environment } = {},
): TriageEnvironment {
  const { env = {}, ...rest } = changes;
  const signal = rest.signal ?? new AbortController().signal;
  return {
    dataRoot: join(homedir(), '.local/share/process_triage'),
    platform: platform(),
    procRoot: '/proc',
    cgroupRoot: '/sys/fs/cgroup',
    host: hostname(),
    pid: ownPid(),
    uid: ownUid(),
    now: Date.now,
    monotonicMs,
    sleep: (ms) => sleep(ms, signal),
    openLibc,
    run: (argv) =>
      runCommand(argv, {
        cwd: '/',
        env: childEnvironment(env, Object.fromEntries(SUPERVISOR_VARIABLES.map((name) => [name, env[name]]))),
        timeoutMs: SUPERVISOR_TIMEOUT_MS,
        signal,
      }),
    setNice: setPriority,
    signal,
    warn: () => undefined,
    program: 'pt agent',
    ...rest,
  };
}
