import { AGENT_MARK } from '../../base/agent-mark.ts';
import { RUN_MARK } from '../../base/run-mark-variable.ts';

/** Variables that test runners set for the workers they start. */
export const TEST_WORKER_VARIABLES = [
  'JEST_WORKER_ID',
  'VITEST_WORKER_ID',
  'VITEST_POOL_ID',
  'PYTEST_XDIST_WORKER',
  'NODE_TEST_CONTEXT',
  'TEST_WORKER_INDEX',
  'NEXTEST_RUN_ID',
  'MOCHA_WORKER_ID',
] as const;

/** Variables that name the run, agent or supervisor of a process. No others are stored, because they may contain secrets. */
const STORED_VARIABLES: ReadonlySet<string> = new Set([
  'DEED_RUN_ID',
  RUN_MARK,
  AGENT_MARK,
  'INVOCATION_ID',
  'PM2_HOME',
  'pm_id',
  'SUPERVISOR_ENABLED',
  'SUPERVISOR_GROUP_NAME',
  'SUPERVISOR_PROCESS_NAME',
  'SUPERVISOR_SERVER_URL',
  ...TEST_WORKER_VARIABLES,
]);

const VALUE_CHARACTERS = 200;

const DESKTOP_VARIABLES = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'DBUS_SESSION_BUS_ADDRESS',
  'PULSE_SERVER',
  'PIPEWIRE_REMOTE',
];

/** Returns the variables that name a display, a session bus or an audio server, without their values. */
export function findDesktopVariables(bytes: Buffer): readonly string[] {
  const text = `\0${bytes.toString('latin1')}`;
  return DESKTOP_VARIABLES.filter((name) => text.includes(`\0${name}=`));
}

/** Parses `<pid>/environ`: the environment at the start of the process. */
export function parseEnviron(bytes: Buffer): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of bytes.toString('utf8').split('\0')) {
    const equals = entry.indexOf('=');
    const name = entry.slice(0, equals);
    if (equals > 0 && STORED_VARIABLES.has(name))
      found[name] = entry.slice(equals + 1, equals + 1 + VALUE_CHARACTERS);
  }
  return found;
}
