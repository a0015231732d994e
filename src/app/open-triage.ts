import { setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import { readSettings } from '../config/read-settings.ts';
import type { CommandContext } from '../contract/context.ts';
import { childEnvironment } from '../system/child-environment.ts';
import { readFileIfPresent } from '../system/durable-file.ts';
import { openLibc } from '../system/libc/libc.ts';
import { monotonicMs } from '../system/monotonic-ms.ts';
import { ownPid } from '../system/process-identity.ts';
import { runCommand } from '../system/run-command.ts';
import { openTriage, type Triage } from '../triage/triage.ts';

const SUPERVISOR_TIMEOUT_MS = 60_000;
/** What programs of supervisors need to find their daemons, beyond what every child gets. */
const SUPERVISOR_VARIABLES = ['DBUS_SESSION_BUS_ADDRESS', 'PM2_HOME', 'DOCKER_HOST', 'DOCKER_CONTEXT'];

/** Opens triage on this machine for one call. */
export function triageOf(context: CommandContext): Triage {
  const { world, signal, warn } = context;
  const settings = readSettings(context.tool.settings, {
    homePath: context.home.path,
    folder: world.cwd,
    folderFile: `.${context.tool.name}.json`,
  });
  const number = (name: string): number => Number(settings.get(name).value);
  return openTriage({
    dataRoot: join(world.userHome, '.local/share/process_triage'),
    procRoot: '/proc',
    cgroupRoot: '/sys/fs/cgroup',
    host: world.account.host,
    pid: ownPid(),
    uid: world.account.euid,
    now: world.clock.now,
    monotonicMs,
    sleep: (ms) => sleep(ms, signal),
    openLibc,
    run: (argv) =>
      runCommand(argv, {
        cwd: '/',
        env: childEnvironment(
          world.env,
          Object.fromEntries(SUPERVISOR_VARIABLES.map((name) => [name, world.env[name]])),
        ),
        timeoutMs: SUPERVISOR_TIMEOUT_MS,
        signal,
      }),
    setNice: setPriority,
    overrides: readOverrides(resolveHome(String(settings.get('triage.parameters_file').value), context)),
    retentionMs: number('triage.retention_days') * 86_400_000,
    killsPerDay: number('triage.kills_per_day'),
    signal,
    warn,
    program: context.gate === 'open' ? 'pt agent' : `${context.tool.name} triage`,
  });
}

/** Waits, but not longer than the caller does. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

function resolveHome(path: string, { world }: CommandContext): string | undefined {
  if (path === '') return undefined;
  return path.startsWith('~/') ? join(world.userHome, path.slice(2)) : resolve(world.userHome, path);
}

function readOverrides(path: string | undefined): unknown {
  if (path === undefined) return undefined;
  const text = readFileIfPresent(path);
  const problem = (what: string, cause?: unknown): Fault =>
    new Fault('E_CONFIG', `The triage parameters in ${path} ${what}.`, {
      hint: 'Correct the file, or unset triage.parameters_file.',
      details: { path },
      cause,
    });
  if (text === undefined) throw problem('are not there');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw problem('are not JSON', error);
  }
}
