/** The programs that start processes again by themselves. */
export type SupervisorType = 'systemd' | 'docker' | 'pm2' | 'supervisord';

/** What a unit may be called. It stands alone in the argument list, but must not pass for a flag there. */
const UNIT = /^[A-Za-z0-9_:][\w:.@\\/+-]{0,254}$/u;

/** Builds the call that makes a supervisor restart or stop what it runs; nothing for a name that cannot be one. */
export function supervisorCommand(
  verb: 'restart' | 'stop',
  type: SupervisorType,
  unit: string,
  userScope: boolean,
): readonly string[] | undefined {
  if (!UNIT.test(unit)) return undefined;
  switch (type) {
    case 'systemd':
      return ['systemctl', ...(userScope ? ['--user'] : []), verb, unit];
    case 'docker':
      return ['docker', verb, unit];
    case 'pm2':
      return ['pm2', verb, unit];
    case 'supervisord':
      return ['supervisorctl', verb, unit];
  }
}
