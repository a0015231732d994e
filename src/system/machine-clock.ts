import { readFileSync } from 'node:fs';
import { bootId } from './process-identity.ts';

/** A time on a clock that no one can set: the time since boot, including suspend. */
export interface MachineTime {
  readonly bootId: string;
  readonly uptimeMs: number;
}

/** Undefined where the system does not report it. */
export function readMachineTime(): MachineTime | undefined {
  const [id, uptimeMs] = [bootId(), readUptimeMs()];
  return id === '' || uptimeMs === undefined ? undefined : { bootId: id, uptimeMs };
}

/** The time since boot; undefined where the system does not report it. */
export function readUptimeMs(): number | undefined {
  try {
    const uptimeMs = Math.round(Number(readFileSync('/proc/uptime', 'latin1').split(' ', 1)[0]) * 1000);
    return Number.isSafeInteger(uptimeMs) ? uptimeMs : undefined;
  } catch {
    return undefined;
  }
}
