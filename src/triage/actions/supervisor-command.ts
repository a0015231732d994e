import type { SupervisorInfo } from '../assessment.ts';

/** What a unit may be called. It stands alone in the argument list, but must not pass for a flag there. */
const UNIT = /^[A-Za-z0-9_:][\w:.@\\/+-]{0,254}$/u;

const PROGRAMS: Readonly<Record<NonNullable<SupervisorInfo['type']>, string>> = {
  systemd: 'systemctl',
  docker: 'docker',
  pm2: 'pm2',
  supervisord: 'supervisorctl',
};

/**
 * Builds the call that makes a supervisor restart what it runs, from the one by which it would be stopped: they differ in the verb, and both
 * must reach the same daemon. Nothing for a name that cannot be a unit's.
 */
export function restartCommand({
  type,
  unit,
  supervisor_command: stop,
}: SupervisorInfo): readonly string[] | undefined {
  if (type === null || unit === null || !UNIT.test(unit)) return undefined;
  const reach =
    stop?.endsWith(` stop ${unit}`) === true ? stop.slice(0, -` stop ${unit}`.length).split(' ') : [];
  return reach.includes(PROGRAMS[type]) ? [...reach, 'restart', unit] : undefined;
}
