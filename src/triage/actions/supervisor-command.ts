import type { SupervisorInfo } from '../assessment.ts';

/** Valid unit names. A unit is a separate argument and must not look like a flag. */
const UNIT = /^[A-Za-z0-9_:][\w:.@\\/+-]{0,254}$/u;

const PROGRAMS: Readonly<Record<NonNullable<SupervisorInfo['type']>, string>> = {
  systemd: 'systemctl',
  docker: 'docker',
  pm2: 'pm2',
  supervisord: 'supervisorctl',
};

/**
 * Derives the restart command of a supervisor from its stop command. Only the verb differs, so that both reach the same daemon.
 * Returns undefined for an invalid unit name.
 */
export function restartCommand({
  type,
  unit,
  supervisor_command: stop,
}: SupervisorInfo): readonly string[] | undefined {
  if (type === null || unit === null || !UNIT.test(unit)) return undefined;
  const prefix =
    stop?.endsWith(` stop ${unit}`) === true ? stop.slice(0, -` stop ${unit}`.length).split(' ') : [];
  return prefix.includes(PROGRAMS[type]) ? [...prefix, 'restart', unit] : undefined;
}
